// Stations along a line, as many as the first argument says, in one allocation: each takes parts from its own belt, a ring of eight with two
// semaphores, and puts them on the next station's one. So many parts as the second argument says go through; a belt takes as many as the third.
//
// By hand: no deadlock: each station takes all parts that the one in front of it gives. Where a belt begins and ends is between 0 and 7: a
// part that is put there is no pointer to the next station, nor the number of parts, neither of this station nor of the one behind it.
// run: enumerate -- 2 @ 2
// expect: complete=true deadlocked=0 epochs=2
// exec: 3 5 2
// stdout: 25
// exec: 1 0 1
// stdout: 0
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 3
#define PLACES 8

struct station {
    sem_t filled, emptied;
    int belt[PLACES];
    int last, first;
    struct station *next;
    int parts;
    pthread_t worker;
    long sum;
};

static void put(struct station *s, int part)
{
    sem_wait(&s->emptied);
    s->belt[s->last] = part;
    s->last = (s->last + 1) % PLACES;
    sem_post(&s->filled);
}

static int take(struct station *s)
{
    sem_wait(&s->filled);
    int part = s->belt[s->first];
    s->first = (s->first + 1) % PLACES;
    sem_post(&s->emptied);
    return part;
}

static void *work(void *argument)
{
    struct station *s = argument;
    for (int n = 0; n < s->parts; n++) {
        int part = take(s) + 1;
        if (s->next)
            put(s->next, part);
        else
            s->sum += part;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    int count = atoi(argv[1]), parts = atoi(argv[2]), places = atoi(argv[3]);
    if (count < 1 || count > MOST || places < 1 || places > PLACES)
        return 2;
    struct station *stations = calloc(count, sizeof *stations);
    if (!stations)
        return 1;
    for (int n = 0; n < count; n++) {
        sem_init(&stations[n].filled, 0, 0);
        sem_init(&stations[n].emptied, 0, places);
        stations[n].parts = parts;
        stations[n].next = n + 1 < count ? &stations[n + 1] : NULL;
    }
    for (int n = 0; n < count; n++)
        pthread_create(&stations[n].worker, NULL, work, &stations[n]);
    for (int n = 0; n < parts; n++)
        put(&stations[0], n);
    for (int n = 0; n < count; n++)
        pthread_join(stations[n].worker, NULL);
    printf("%ld\n", stations[count - 1].sum);
    free(stations);
    return 0;
}
