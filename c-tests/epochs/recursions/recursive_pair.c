// Two functions that call each other and take a lock each, as often as the input says: one is entered from outside, and has the marker.
//
// By hand, with names of epochs that tell one call of the recursion apart (--fold-depth 1): 6 epochs with 11 schedules, no deadlock. The entry
// has 1. From the marker, the thread comes to its end in `ping`, or in `pong`, or to the marker again: 3. When it is back there, with calls
// below that nobody counts, it is 3 again, but the way up leads to behind the call in `pong`, which cannot be the first of all. From
// there it returns to `ping`, which is the first of all or not: 2. The first of all returns and all ends: 1. Another one returns to `pong`: 1.
// levels: O0
// run: enumerate -- @
// expect: epochs=6 schedules=11 complete=true deadlocked=0
// exec: 4
// stdout: 3 2
// exec: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int as, bs;

static void pong(int n);

static void ping(int n)
{
    pthread_mutex_lock(&a);
    as++;
    pthread_mutex_unlock(&a);
    if (n > 0)
        pong(n - 1);
}

static void pong(int n)
{
    pthread_mutex_lock(&b);
    bs++;
    pthread_mutex_unlock(&b);
    if (n > 0)
        ping(n - 1);
}

static void *worker(void *arg)
{
    ping(*(int *)arg);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t;
    int n = argc > 1 ? atoi(argv[1]) : 0;
    pthread_create(&t, NULL, worker, &n);
    pthread_join(t, NULL);
    printf("%d %d\n", as, bs);
    return 0;
}
