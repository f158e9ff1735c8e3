// A table of pointers to lamps on the heap, each with a lock, as many as an input says. A thread lights the last one; then main counts those that are lit, each
// under its lock. The pointer is read from the table again for what is done to the lamp, and for the unlock.
//
// By hand: the first epoch ends where main is about to take the first lock, or with the program, if the input is outside of the limits; in the second, main goes on to the
// next lamp, or was at the last one. Nobody waits for ever: at the marker nobody holds a lock, which is known where the pointer that was read for the unlock
// is the one that was read for the lock: both were read at the same place of the table, which nobody writes to when there are threads.
//
// The loop that makes the lamps is replaced, and nobody knows any more that all of their pointers are none of null, so that possible memory errors are
// told of that cannot happen.
//
// run: enumerate --without whole-runs -- @
// expect: epochs=2 complete=true deadlocked=0
// status: 0 1
// exec: 4
// stdout: 1 of 4
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct lamp {
    int lit;
    pthread_mutex_t lock;
};

static struct lamp *lamps[6];
static int count;

static void *light(void *arg)
{
    pthread_mutex_lock(&lamps[count - 1]->lock);
    lamps[count - 1]->lit = 1;
    pthread_mutex_unlock(&lamps[count - 1]->lock);
    return arg;
}

int main(int argc, char **argv)
{
    count = argc > 1 ? atoi(argv[1]) : 0;
    if (count < 1 || count > 6)
        return 2;
    for (int i = 0; i < count; i++) {
        lamps[i] = malloc(sizeof *lamps[i]);
        lamps[i]->lit = 0;
        pthread_mutex_init(&lamps[i]->lock, NULL);
    }
    pthread_t thread;
    pthread_create(&thread, NULL, light, NULL);
    pthread_join(thread, NULL);
    int lit = 0;
    for (int i = 0; i < count; i++) {
        pthread_mutex_lock(&lamps[i]->lock);
        lit += lamps[i]->lit;
        pthread_mutex_unlock(&lamps[i]->lock);
    }
    printf("%d of %d\n", lit, count);
    return 0;
}
