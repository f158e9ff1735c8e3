// Three stations hand a token on in a ring, twice around; how many they are is given, and an input says which station has it at first. From 3 on none
// has.
//
// By hand: a station waits until it has the token, so without one all wait for ever, and main waits for the first of them: one deadlock, for all
// inputs that name no station. With one, each station gets it in turn: three orders, by who begins. Whatever the input, a run is short, so it is one
// epoch; where epochs end at the stations' loops, how many tokens there are is forgotten.
// (With `--without whole-runs`: 16 schedules in 10 epochs.)
// run: enumerate -- 3 2 @
// expect: complete=true epochs=1 schedules=4 deadlocked=1
// exec: 3 2 1
// stdout: 6
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_STATIONS 8

struct station {
    pthread_t thread;
    int number;
    int has_token;
    pthread_cond_t arrival;
};

static struct {
    pthread_mutex_t lock;
    struct station stations[MOST_STATIONS];
    int count, rounds;
    int handed;
} ring = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void *run(void *arg)
{
    struct station *self = arg;
    struct station *next = &ring.stations[(self->number + 1) % ring.count];

    for (int round = 0; round < ring.rounds; round++) {
        pthread_mutex_lock(&ring.lock);
        while (!self->has_token)
            pthread_cond_wait(&self->arrival, &ring.lock);
        self->has_token = 0;
        next->has_token = 1;
        ring.handed++;
        pthread_cond_signal(&next->arrival);
        pthread_mutex_unlock(&ring.lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    ring.count = atoi(argv[1]);
    ring.rounds = atoi(argv[2]);
    int first = atoi(argv[3]);
    if (ring.count < 1 || ring.count > MOST_STATIONS || first < 0)
        return 2;
    for (int i = 0; i < ring.count; i++) {
        struct station *station = &ring.stations[i];
        station->number = i;
        station->has_token = i == first;
        pthread_cond_init(&station->arrival, NULL);
    }
    for (int i = 0; i < ring.count; i++)
        if (pthread_create(&ring.stations[i].thread, NULL, run, &ring.stations[i]) != 0)
            return 1;
    for (int i = 0; i < ring.count; i++)
        pthread_join(ring.stations[i].thread, NULL);
    printf("%d\n", ring.handed);
    return 0;
}
