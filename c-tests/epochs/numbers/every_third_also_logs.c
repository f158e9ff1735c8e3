// Three workers count under one lock, and those whose round and number are a multiple of an input take a second lock, too. Optimisers make the rounds numbers of 64
// bits, and extend the number of rounds whenever they read it: one stays below the other. That two neighbours are multiples of a number
// says that it is 1; bit by bit, this is found out after long.
//
// Usage: every_third_also_logs ROUNDS EVERY
//
// run: enumerate -- @ @
// expect: epochs=2 deadlocked=0 complete=true max_live_threads=4
// run: enumerate -- @ 3
// expect: epochs=2 deadlocked=0 complete=true max_live_threads=4
// exec: 7 3
// stdout: 63 counted, 7 logged
// exec: 1 0
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER, log_lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds, every, counted, logged;

static void *work(void *arg) {
    long number = (long)arg;
    for (int round = 0; round < rounds; round++) {
        pthread_mutex_lock(&count_lock);
        counted += round;
        if ((round + number) % every == 0) {
            pthread_mutex_lock(&log_lock);
            logged++;
            pthread_mutex_unlock(&log_lock);
        }
        pthread_mutex_unlock(&count_lock);
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    rounds = atoi(argv[1]);
    every = atoi(argv[2]);
    if (every < 1) return 2;
    pthread_t workers[3];
    for (long i = 0; i < 3; i++) pthread_create(&workers[i], NULL, work, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(workers[i], NULL);
    printf("%d counted, %d logged\n", counted, logged);
    return 0;
}
