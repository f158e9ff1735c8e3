// Carries crates between two of three docks, again and again: inputs say which two, and how often. Main refuses a dock that is both.
//
// By hand: no deadlock, as the docks are not the same, and are locked in the order of their numbers. That two numbers differ is known
// wherever they are, though not how far they are apart. (It was forgotten behind the first epoch, and a carrier waited for itself.)
// run: enumerate -- @ @ @
// expect: complete=true deadlocked=0
// exec: 2 0 3
// stdout: 7 10 13
// exec: 1 1 3
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { DOCKS = 3 };

struct dock {
    pthread_mutex_t lock;
    int crates;
};

struct trip {
    unsigned from, to;
    int times;
};

static struct dock docks[DOCKS];

static void carry(unsigned from, unsigned to) {
    struct dock *first = &docks[from < to ? from : to], *second = &docks[from < to ? to : from];
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    docks[from].crates--;
    docks[to].crates++;
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
}

static void *go(void *argument) {
    struct trip *trip = argument;
    while (trip->times-- > 0) carry(trip->from, trip->to);
    return NULL;
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    struct trip trip = {(unsigned)atoi(argv[2]) % DOCKS, (unsigned)atoi(argv[1]) % DOCKS, atoi(argv[3])};
    if (trip.from == trip.to) return 2;
    for (int i = 0; i < DOCKS; i++) {
        pthread_mutex_init(&docks[i].lock, NULL);
        docks[i].crates = 10;
    }
    pthread_t carrier;
    pthread_create(&carrier, NULL, go, &trip);
    pthread_join(carrier, NULL);
    printf("%d %d %d\n", docks[0].crates, docks[1].crates, docks[2].crates);
    return 0;
}
