// Somebody goes down a stair of a kind and as many steps as inputs say, waters plants at the bottom, as many as a third input says, and comes up again. On
// even steps of kind 7 a gate is locked twice on the way up.
//
// By hand: who comes up to an even step of kind 7 waits for ever, and nobody else does. What kind it is, each activation hands on to the next one. Where the
// plants are watered nobody reads it, but it is read again further up: it is not to be forgotten there.
//
// run: enumerate -- @ @ @
// expect: complete=true deadlocked=2
// exec: 3 1 2
// stdout: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t can = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int plants;

static void descend(int kind, int steps)
{
    if (steps <= 0) {
        for (int i = 0; i < plants; i++) {
            pthread_mutex_lock(&can);
            pthread_mutex_unlock(&can);
        }
        return;
    }
    if (steps % 2 == 1) {
        descend(kind, steps - 1);
    } else {
        descend(kind, steps - 1);
        if (kind == 7) {
            pthread_mutex_lock(&gate);
            pthread_mutex_lock(&gate);
            pthread_mutex_unlock(&gate);
        }
    }
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 3;
    int kind = argc > 2 ? atoi(argv[2]) : 0;
    plants = argc > 3 ? atoi(argv[3]) : 0;
    descend(kind, steps);
    printf("%d\n", plants);
    return 0;
}
