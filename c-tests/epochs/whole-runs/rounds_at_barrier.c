// Three threads compute a row of cells in 200 rounds, with two barriers in each; how many rounds is given.
//
// By hand: all go the same number of rounds, so there is one schedule, with 1,200 arrivals at the barrier. With an input as the number of rounds
// it would be an epoch for each barrier.
// run: enumerate -- 200
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// exec: 200
// stdout: 4
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 3

static pthread_barrier_t round_ends;
static int cells[CELLS + 2], next[CELLS + 2], rounds;

static void *work(void *number) {
    int me = (int)(long)number;
    for (int i = 0; i < rounds; i++) {
        next[me] = (cells[me - 1] + cells[me + 1] + 1) / 2;
        pthread_barrier_wait(&round_ends);
        cells[me] = next[me];
        pthread_barrier_wait(&round_ends);
    }
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[CELLS];
    rounds = argc > 1 ? atoi(argv[1]) : 1;
    cells[0] = 8;
    pthread_barrier_init(&round_ends, NULL, CELLS);
    for (long i = 0; i < CELLS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < CELLS; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", cells[2]);
    return 0;
}
