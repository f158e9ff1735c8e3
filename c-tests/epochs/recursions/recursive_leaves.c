// Divide and conquer that synchronises at its leaves: each half is a call of its own, and only calls with nothing to divide take the lock.
//
// By hand, with a marker at the function's entry and names of epochs that tell one call of the recursion apart (--fold-depth 1): 7 epochs
// with 15 schedules, no deadlock. The entry has 1. The first call divides, or is a leaf and all ends: 2. A call further down divides, which
// leads to the same epoch, or is a leaf, which returns to the first or the second call of one that was the first of all or not: 5. Behind
// the first call it goes down again: 1, be it the first of all or not, which are two epochs. Behind the second one, the first of all ends: 1; any
// other returns as a leaf does: 4.
// levels: O0
// run: enumerate -- @
// expect: epochs=7 schedules=15 complete=true deadlocked=0
// exec: 5
// stdout: 10
// exec: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void sum(int from, int to)
{
    if (to - from <= 1) {
        pthread_mutex_lock(&lock);
        total += from;
        pthread_mutex_unlock(&lock);
        return;
    }
    int middle = from + (to - from) / 2;
    sum(from, middle);
    sum(middle, to);
}

static void *worker(void *arg)
{
    sum(0, *(int *)arg);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t;
    int n = argc > 1 ? atoi(argv[1]) : 1;
    pthread_create(&t, NULL, worker, &n);
    pthread_join(t, NULL);
    printf("%ld\n", total);
    return 0;
}
