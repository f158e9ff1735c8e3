// How many marks are in use is compared with a number, and nothing that is synchronised depends on that; a later round asks a mark that may be
// behind those. What the loop over the marks writes must not follow from which way the comparison went on a path: executions that went the
// other way have the same schedule.
//
// By hand: the marker is in the loop over rounds. Each round takes one of two locks, by mark 70, which is 1 at first: the first epoch ends at
// once without a round, or in the second one with the first lock; what the mark is by then, nobody knows.
//
// run: enumerate -- @ @
// expect: epochs=2 schedules=5 complete=true deadlocked=0
// exec: 2 80
// stdout: 210
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static long marks[256], rounds, used;
static volatile int is_small;
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t step;

static void *worker(void *is_main)
{
    for (long round = 0; round < rounds; round++) { //~ loop
        if (marks[70] == 1) {
            pthread_mutex_lock(&first);
            pthread_mutex_unlock(&first);
        } else {
            pthread_mutex_lock(&other);
            pthread_mutex_unlock(&other);
        }
        pthread_barrier_wait(&step);
        if (is_main) {
            if (used <= 64)
                is_small = 1;
            for (long i = 0; i < used; i++)
                marks[i] = 3 * i;
        }
        pthread_barrier_wait(&step);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    rounds = atoi(argv[1]);
    used = atoi(argv[2]);
    if (used < 1)
        return 2;
    marks[70] = 1;
    pthread_barrier_init(&step, NULL, 2);
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    worker(&thread);
    pthread_join(thread, NULL);
    printf("%ld\n", marks[70]);
    return 0;
}
