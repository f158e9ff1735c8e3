// Ferries come to three docks in turn, and lorries leave from them in turn: dock `n % docks` has a semaphore that says that it is free,
// and one that there is a load. How many loads there are is an input; the docks are on the heap.
//
// By hand: 2 epochs. main starts the threads (1 schedule). At the markers both threads have handled equally many loads, so the docks are as
// they were at first, though nobody knows which one comes next: they are done (1), or use the same dock (1 for each of three). The dock that a
// load was put on is written at an offset that depends on inputs; that it is free again behind it must not be lost. No deadlock.
// (Optimised loops ask at their ends, which divides the schedules otherwise.)
// run: enumerate -- @
// expect: epochs=2 complete=true deadlocked=0
// exec: 0
// stdout: 0
// exec: 5
// stdout: 30
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

struct dock {
    sem_t is_free, is_loaded;
    int load;
};

struct harbour {
    struct dock *docks;
    int count, loads;
    long carried;
};

static void *ferries(void *of) {
    struct harbour *h = of;
    for (int n = 0; n < h->loads; n++) {
        struct dock *d = &h->docks[n % h->count];
        sem_wait(&d->is_free);
        d->load = 3 * n;
        sem_post(&d->is_loaded);
    }
    return NULL;
}

static void *lorries(void *of) {
    struct harbour *h = of;
    for (int n = 0; n < h->loads; n++) {
        struct dock *d = &h->docks[n % h->count];
        sem_wait(&d->is_loaded);
        h->carried += d->load;
        sem_post(&d->is_free);
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    struct harbour h = {.count = 3, .loads = atoi(argv[1])};
    h.docks = calloc(h.count, sizeof *h.docks);
    if (!h.docks) return 3;
    for (int i = 0; i < h.count; i++) {
        sem_init(&h.docks[i].is_free, 0, 1);
        sem_init(&h.docks[i].is_loaded, 0, 0);
    }
    pthread_t by_sea, by_land;
    pthread_create(&by_sea, NULL, ferries, &h);
    pthread_create(&by_land, NULL, lorries, &h);
    pthread_join(by_sea, NULL);
    pthread_join(by_land, NULL);
    printf("%ld\n", h.carried);
    free(h.docks);
    return 0;
}
