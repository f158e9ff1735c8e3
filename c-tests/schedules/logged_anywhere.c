// A failure is logged under one lock, in different places of the program for different failures. The order of synchronisation
// is the same wherever that is, so it is one schedule whose constraint is that something failed.
//
// By hand: 2 schedules. The worker logs, or it does not.
// run: enumerate -- @ @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// ends: exit exit
// exec: 1 5
// stdout: 0 failures
// exec: -3 5
// stdout: 1 failures
// exec: 7 0
// stdout: 1 failures
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int size, limit, failures;

static void *worker(void *arg)
{
    if (size < 0) {
        pthread_mutex_lock(&log_lock);
        fprintf(stderr, "the size %d is negative\n", size);
        failures++;
        pthread_mutex_unlock(&log_lock);
        return NULL;
    }
    if (size > limit) {
        pthread_mutex_lock(&log_lock);
        fprintf(stderr, "%d is more than %d\n", size, limit);
        failures++;
        pthread_mutex_unlock(&log_lock);
    }
    return arg;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    size = atoi(argv[1]);
    limit = atoi(argv[2]);
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    printf("%d failures\n", failures);
    return 0;
}
