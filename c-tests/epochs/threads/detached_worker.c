// A worker that nobody joins: main waits for its result by a condition variable, and the input says whether the worker takes
// another lock before.
//
// By hand: 1 epoch with 2 schedules, no deadlock; the only loop that synchronises waits for a condition variable, so there is
// no marker. Main can end the process before the worker has ended, so whether the worker's end is in a schedule
// depends on the order of threads, not on the input.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// exec: 7
// stdout: result 14, logged
// exec: -7
// stdout: result -14
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, log_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;
static int input, result, is_finished, is_logged;

static void *worker(void *arg)
{
    if (input > 0) {
        pthread_mutex_lock(&log_lock);
        is_logged = 1;
        pthread_mutex_unlock(&log_lock);
    }
    pthread_mutex_lock(&lock);
    result = 2 * input;
    is_finished = 1;
    pthread_cond_signal(&finished);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    pthread_attr_t detached;
    input = argc > 1 ? atoi(argv[1]) : 0;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&t, &detached, worker, NULL) != 0)
        return 1;
    pthread_attr_destroy(&detached);
    pthread_mutex_lock(&lock);
    while (!is_finished)
        pthread_cond_wait(&finished, &lock);
    pthread_mutex_unlock(&lock);
    printf("result %d%s\n", result, is_logged ? ", logged" : "");
    return 0;
}
