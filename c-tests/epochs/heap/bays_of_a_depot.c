// Bays with locks, as many as an input says and one more, in a structure on the heap with a semaphore, all behind one global pointer. Optimisers read the
// pointer at the ends of a loop's rounds, and use what the last round has read behind the loop, or what was read before it if there is no round: how often it goes
// round makes no difference to where the semaphore is. And a bay's number is 64 bits wide: its lock is no crate of another bay, for no address is more than
// a pointer can hold.
//
// Usage: bays_of_a_depot ROUNDS BAYS
//
// run: enumerate -- @ @
// expect: epochs=2 deadlocked=0 complete=true max_live_threads=3
// exec: 5 3
// stdout: 10 crates in 4 bays
// exec: 1 101
// exit: 2
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

struct bay {
    pthread_mutex_t lock;
    int crates;
    int full;
    long last;
};

struct depot {
    struct bay *bays;
    int count;
    sem_t gate;
};

static struct depot *depot;
static int rounds;

static void *drive(void *arg) {
    long driver = (long)arg;
    for (int round = 0; round < rounds; round++) {
        sem_wait(&depot->gate);
        struct bay *bay = &depot->bays[(driver * 7 + round) % (depot->count + 1)];
        pthread_mutex_lock(&bay->lock);
        bay->crates++;
        bay->full += bay->crates > 3;
        bay->last = driver;
        pthread_mutex_unlock(&bay->lock);
        sem_post(&depot->gate);
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    rounds = atoi(argv[1]);
    depot = calloc(1, sizeof *depot);
    depot->count = atoi(argv[2]);
    if (depot->count < 0 || depot->count > 100) return 2;
    depot->bays = calloc(depot->count + 1, sizeof *depot->bays);
    for (int i = 0; i < depot->count; i++) pthread_mutex_init(&depot->bays[i].lock, NULL);
    sem_init(&depot->gate, 0, 2);
    pthread_t drivers[2];
    for (long i = 0; i < 2; i++) pthread_create(&drivers[i], NULL, drive, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(drivers[i], NULL);
    int crates = 0;
    for (int i = 0; i <= depot->count; i++) crates += depot->bays[i].crates;
    printf("%d crates in %d bays\n", crates, depot->count + 1);
    return 0;
}
