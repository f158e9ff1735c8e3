// Two mills grind sacks into a bin that holds three; a baker takes as many as both have ground. The baker waits while the bin is empty, a
// mill while it is full.
//
// By hand: no deadlock. That the baker does not wait for a sack that nobody grinds follows from a sum of four numbers: what is in the
// bin, and what was taken, is what the mills have ground. Each number by itself may be anything, and so may each difference of two.
// run: enumerate -- @
// expect: complete=true deadlocked=0
// exec: 3
// stdout: 6 loaves
// exec: 0
// stdout: 0 loaves
// exec: 501
// exit: 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOM = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t sack = PTHREAD_COND_INITIALIZER, room = PTHREAD_COND_INITIALIZER;
static int in_bin, each;

static void *mill(void *arg)
{
    for (int ground = 0; ground < each; ground++) {
        pthread_mutex_lock(&lock);
        while (in_bin == ROOM)
            pthread_cond_wait(&room, &lock);
        in_bin++;
        pthread_cond_signal(&sack);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *baker(void *arg)
{
    long *loaves = arg;
    for (int taken = 0; taken < 2 * each; taken++) {
        pthread_mutex_lock(&lock);
        while (in_bin == 0)
            pthread_cond_wait(&sack, &lock);
        in_bin--;
        pthread_cond_broadcast(&room);
        pthread_mutex_unlock(&lock);
        ++*loaves;
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t first, second, third;
    long loaves = 0;
    each = argc > 1 ? atoi(argv[1]) : 1;
    if (each < 0 || each > 500)
        return 1;
    pthread_create(&first, NULL, mill, NULL);
    pthread_create(&second, NULL, mill, NULL);
    pthread_create(&third, NULL, baker, &loaves);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    pthread_join(third, NULL);
    printf("%ld loaves\n", loaves);
    return 0;
}
