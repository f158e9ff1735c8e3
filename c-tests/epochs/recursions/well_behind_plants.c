// Somebody goes down to a well, as many steps as an input says, waters plants there, and on the way up adds to what the well holds on each odd step.
//
// By hand: the well's lock is free whenever it is taken, so nobody waits for ever. Each activation hands the well on to the next one, and where the plants are
// watered nobody reads which one it is.
//
// run: enumerate -- @ @
// expect: complete=true deadlocked=0 epochs=7
// exec: 3 1
// stdout: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct well {
    pthread_mutex_t lock;
    int buckets;
};

static pthread_mutex_t can = PTHREAD_MUTEX_INITIALIZER;
static int plants;

static void descend(struct well *well, int steps)
{
    if (steps <= 0) {
        for (int i = 0; i < plants; i++) {
            pthread_mutex_lock(&can);
            pthread_mutex_unlock(&can);
        }
        return;
    }
    descend(well, steps - 1);
    if (steps & 1) {
        pthread_mutex_lock(&well->lock);
        well->buckets++;
        pthread_mutex_unlock(&well->lock);
    }
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 3;
    plants = argc > 2 ? atoi(argv[2]) : 0;
    struct well *well = calloc(1, sizeof *well);
    if (well == NULL)
        return 2;
    pthread_mutex_init(&well->lock, NULL);
    descend(well, steps);
    printf("%d\n", well->buckets);
    free(well);
    return 0;
}
