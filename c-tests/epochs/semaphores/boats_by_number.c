// Two rowers take boats in turn, each boat with a semaphore that says that it is free: which one is computed from two numbers of the
// input, multiplied with each other. How often they row is an input, too.
//
// By hand: no deadlock. A rower holds one boat and waits for none, and puts it back before the marker. What semaphores count behind an
// epoch is one of what was written at places that depend on a product of inputs; it is 1 whatever the product is. (It was lost: 4
// deadlocks that cannot happen at -O0, 12 at -O2.)
// run: enumerate -- @ @ @
// expect: complete=true deadlocked=0
// exec: 1 2 3
// stdout: 2 2 2
// exec: 0 0 2
// stdout: 2 2 0
// exec: 1
// exit: 2
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define BOATS 3

static sem_t is_free[BOATS];
static int trips[BOATS];

struct rower {
    int first, step, times;
};

static void *row(void *of) {
    struct rower *rower = of;
    for (int i = 0; i < rower->times; i++) {
        unsigned boat = (unsigned)(rower->first + i * rower->step) % BOATS;
        sem_wait(&is_free[boat]);
        trips[boat]++;
        sem_post(&is_free[boat]);
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    struct rower rowers[2];
    pthread_t threads[2];
    for (int i = 0; i < BOATS; i++) sem_init(&is_free[i], 0, 1);
    for (int i = 0; i < 2; i++) {
        rowers[i] = (struct rower){ atoi(argv[1]) + i, atoi(argv[2]), atoi(argv[3]) };
        pthread_create(&threads[i], NULL, row, &rowers[i]);
    }
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < BOATS; i++) printf(i < BOATS - 1 ? "%d " : "%d\n", trips[i]);
    return 0;
}
