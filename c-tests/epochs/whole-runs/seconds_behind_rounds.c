// Two threads go 300 rounds with a lock each; main prints how long that took, in seconds and nanoseconds.
//
// By hand: the time is an input, and whether the nanoseconds have to borrow a second is decided by it. But whichever way, the program only prints
// and ends: one schedule.
// run: enumerate
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// exec:
// stdout: 600
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds;

static void *go_round(void *unused) {
    for (int i = 0; i < 300; i++) {
        pthread_mutex_lock(&lock);
        rounds++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    struct timespec start, end;
    pthread_t other;
    clock_gettime(CLOCK_MONOTONIC, &start);
    pthread_create(&other, NULL, go_round, NULL);
    go_round(NULL);
    pthread_join(other, NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    long seconds = end.tv_sec - start.tv_sec, nanoseconds = end.tv_nsec - start.tv_nsec;
    if (nanoseconds < 0) {
        nanoseconds += 1000000000;
        seconds--;
    }
    fprintf(stderr, "%ld.%09ld s\n", seconds, nanoseconds);
    printf("%d\n", rounds);
    return 0;
}
