// Two divers go down one rope after the other, as many fathoms as an input says. The rope is theirs again for each fathom: its mutex is recursive. Who and
// which rope that is stands in a dive that each activation hands on to the next one.
//
// By hand: who comes up has given the rope back as often as taken, so the other one gets it. Which rope an activation gives back, of which nothing else is
// known than that somebody has called it, is the one that the activation has which it had called.
// (If nothing is known of what activations hand on: deadlocks that cannot happen, and every time limit is met.)
// run: enumerate -- @
// expect: complete=true deadlocked=0 epochs=8 schedules>=15
// exec: 3
// stdout: 6
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct dive {
    pthread_mutex_t rope;
    long fathoms;
    int deepest;
};

struct diver {
    struct dive *dive;
    int fathoms;
    pthread_t handle;
};

static void descend(struct dive *dive, int left, int at)
{
    pthread_mutex_lock(&dive->rope);
    dive->fathoms++;
    if (at > dive->deepest)
        dive->deepest = at;
    if (left > 1)
        descend(dive, left - 1, at + 1);
    pthread_mutex_unlock(&dive->rope);
}

static void *go(void *arg)
{
    struct diver *diver = arg;
    descend(diver->dive, diver->fathoms, 1);
    return NULL;
}

int main(int argc, char **argv)
{
    int fathoms = argc > 1 ? atoi(argv[1]) : 2;
    struct dive *dive = calloc(1, sizeof *dive);
    struct diver *divers = calloc(2, sizeof *divers);
    pthread_mutexattr_t attributes;
    if (dive == NULL || divers == NULL || fathoms < 1)
        return 2;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&dive->rope, &attributes);
    for (int i = 0; i < 2; i++) {
        divers[i].dive = dive;
        divers[i].fathoms = fathoms;
        if (pthread_create(&divers[i].handle, NULL, go, &divers[i]) != 0)
            exit(1);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(divers[i].handle, NULL);
    printf("%ld\n", dive->fathoms);
    free(divers);
    free(dive);
    return 0;
}
