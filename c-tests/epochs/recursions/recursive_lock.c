// A recursive function that synchronises before and after it calls itself; the input says how deep it goes.
//
// By hand, with markers at the function's entry and behind the call, and names of epochs that tell one call of the recursion apart
// (--fold-depth 1): 5 epochs with 9 schedules, no deadlock. The entry has 1. The first call goes further down, or all ends: 2. A call further
// down does, which leads to the same epoch, or returns to the first call or another one: 3. Behind the call, the first one ends all: 1;
// another one returns to the first or another one: 2. Without folding each depth would have epochs of its own.
// run: enumerate -- @
// expect: epochs=5 schedules=9 complete=true deadlocked=0
// run: enumerate --fold-depth 2 -- @
// expect: epochs=6 schedules=10 complete=true deadlocked=0
// exec: 3
// stdout: 6 on the way down, 3 on the way up
// exec: 0
// exec: 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int down, up;

static void descend(int n)
{
    if (n <= 0)
        return;
    pthread_mutex_lock(&lock);
    down += n;
    pthread_mutex_unlock(&lock);
    descend(n - 1);
    pthread_mutex_lock(&lock);
    up++;
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
    descend(*(int *)arg);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    int depth = argc > 1 ? atoi(argv[1]) : 0;
    pthread_create(&t, NULL, worker, &depth);
    pthread_join(t, NULL);
    printf("%d on the way down, %d on the way up\n", down, up);
    return 0;
}
