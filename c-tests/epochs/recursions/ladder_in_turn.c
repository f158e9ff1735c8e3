// Two painters go up one ladder, as many rungs as an input says, and down again. On each rung they hold it once more: the mutex is recursive, and each
// activation of the recursion takes it and gives it back.
//
// By hand: who is on the ladder comes down, and has then given back as often as taken, so the other one gets it: nobody waits for ever. How deep the stack
// is, nobody knows, but the mutex is held once for each activation: so it is free when the last one has returned, and not before.
// (15 schedules in 8 epochs. If activations are not counted: 48 in 13.)
// run: enumerate -- @
// expect: complete=true deadlocked=0 epochs=8 schedules=15
// exec: 3
// stdout: 12
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t ladder;
static long painted;

static void climb(int rungs)
{
    pthread_mutex_lock(&ladder);
    painted += rungs;
    if (rungs > 0)
        climb(rungs - 1);
    pthread_mutex_unlock(&ladder);
}

static void *painter(void *rungs)
{
    climb(*(int *)rungs);
    return NULL;
}

int main(int argc, char **argv)
{
    int rungs = argc > 1 ? atoi(argv[1]) : 3;
    pthread_t painters[2];
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&ladder, &attributes);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&painters[i], NULL, painter, &rungs) != 0)
            exit(1);
    for (int i = 0; i < 2; i++)
        pthread_join(painters[i], NULL);
    printf("%ld\n", painted);
    return 0;
}
