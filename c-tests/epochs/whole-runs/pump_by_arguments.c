// A pump adds up how many litres the program's arguments say, each number read by the thread itself, behind the first epoch: of the
// strings nothing is known there, not even where they end.
//
// By hand: one schedule, since no input decides how often the loop goes round. Where its marker is not passed nevertheless, an epoch to
// begin with, and one for the loop, which has a schedule for going on and one for its end.
// run: enumerate -- @
// expect: complete=true deadlocked=0 epochs=1 schedules=1
// run: enumerate --without marker-pruning -- @
// expect: complete=true deadlocked=0 epochs=2
// exec: 3
// stdout: 3
// exec: 20
// stdout: 20
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t gauge = PTHREAD_MUTEX_INITIALIZER;
static long litres;
static int count;
static char **amounts;

static void *pump(void *unused) {
    (void)unused;
    for (int i = 1; i < count; i++) {
        int amount = atoi(amounts[i]);
        pthread_mutex_lock(&gauge);
        if (amount > 0) litres += amount;
        pthread_mutex_unlock(&gauge);
    }
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t thread;
    count = argc;
    amounts = argv;
    pthread_create(&thread, NULL, pump, NULL);
    pthread_join(thread, NULL);
    printf("%ld\n", litres);
    return 0;
}
