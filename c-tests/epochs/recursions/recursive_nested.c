// A recursive function that holds a recursive mutex while it calls itself; main waits for it, and took the mutex before.
//
// By hand, with a marker at the function's entry, one behind the call, and names of epochs that tell one call of the recursion apart
// (--fold-depth 1): 5 epochs, no deadlock. They are the entry, the first call, a call further down, and behind the call the first of all and
// another one. There are 9 schedules if it is known that the mutex is held wherever the recursion goes on: 1, 2, 3 (once more, or back to the
// first call or another one), 1 and 2: as often as the function is inside of itself, the mutex is held.
// run: enumerate -- @
// expect: epochs=5 schedules=9 complete=true deadlocked=0
// exec: 3
// stdout: 5
// exec: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock;
static int calls;

static void nest(int n)
{
    pthread_mutex_lock(&lock);
    calls++;
    if (n > 0)
        nest(n - 1);
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
    nest(*(int *)arg);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t;
    pthread_mutexattr_t recursive;
    int n = argc > 1 ? atoi(argv[1]) : 0;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &recursive);
    pthread_create(&t, NULL, worker, &n);
    pthread_mutex_lock(&lock);
    calls++;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    printf("%d\n", calls);
    return 0;
}
