// As many threads as the input says, but three at most; their handles are in an array on the stack of just that size.
//
// By hand: 1, 2 or 3 threads are 3 schedules; no thread at all is a prefix of them. For a negative number there is no array: that is one possible
// error, a stack that is too small, and not one path for each of two thousand million numbers.
// run: enumerate -- @
// expect: schedules=3 complete=true deadlocked=0
// status: 1
// exec: 2
// stdout: 2 threads
// exec: 7
// stdout: 3 threads
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ran;

static void *count(void *arg)
{
    pthread_mutex_lock(&lock);
    ran++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : MOST;
    if (n > MOST)
        n = MOST;
    pthread_t threads[n];
    for (int i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    printf("%d threads\n", ran);
    return 0;
}
