// Two threads, each of which counts its rounds: what it does first in one, before it asks anything. Sums of numbers do not overflow, or what C
// leaves undefined happens: so no thread begins a round with a negative count, and there is no second lock.
//
// By hand: the first epoch ends where the thread is created and both are at the marker of the loop. From there both end, or both go on: their
// counts are equal.
//
// levels: O0
// exec: 2
// stdout: 4 rounds
// run: enumerate -- @
// expect: epochs=2 schedules=3 complete=true deadlocked=0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds, total;

static void *count(void *arg)
{
    int *done = arg;
    do {
        int before = (*done)++;
        pthread_mutex_lock(&lock);
        total++;
        if (before < 0) {
            pthread_mutex_unlock(&lock);
            pthread_mutex_lock(&lock);
        }
        pthread_mutex_unlock(&lock);
    } while (*done != rounds);
    return arg;
}

int main(int argc, char **argv)
{
    static int done[2];
    pthread_t thread;
    if (argc < 2)
        return 1;
    rounds = atoi(argv[1]);
    pthread_create(&thread, NULL, count, &done[0]);
    count(&done[1]);
    pthread_join(thread, NULL);
    printf("%d rounds\n", total);
    return 0;
}
