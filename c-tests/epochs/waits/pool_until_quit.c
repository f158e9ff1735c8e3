// A pool of two threads that take jobs out of a slot until they are told to quit. The input says how many jobs there are.
//
// By hand, with markers in front of the conditions of main's loop over jobs and of the workers' endless loop (those that only
// wait for a condition variable have none), and threads that run in the order of their numbers: 3 epochs with 5 schedules,
// no deadlock. The entry has 1. From the markers, main fills the slot, the first worker does the job and comes back, and the
// second one waits; or main says quit, and all end: 2. From main and one worker at their markers while the other one waits,
// the same: 2, and if there is a job it is the same epoch again.
// exec: 3
// stdout: 3 jobs, sum 9
// exec: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define WORKERS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static pthread_cond_t emptied = PTHREAD_COND_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;
static int slot, has_job, quit, done, sum;

static void *worker(void *arg)
{
    for (;;) { //~ worker
        pthread_mutex_lock(&lock);
        while (!has_job && !quit)
            pthread_cond_wait(&filled, &lock);
        if (!has_job) {
            pthread_mutex_unlock(&lock);
            return arg;
        }
        int job = slot;
        has_job = 0;
        pthread_cond_signal(&emptied);
        pthread_mutex_unlock(&lock);
        int result = 2 * job + 1;
        pthread_mutex_lock(&lock);
        sum += result;
        done++;
        pthread_cond_signal(&finished);
        pthread_mutex_unlock(&lock);
    }
}

int main(int argc, char **argv)
{
    pthread_t t[WORKERS];
    int jobs = argc > 1 ? atoi(argv[1]) : 0;
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int j = 0; j < jobs; j++) { //~ main
        pthread_mutex_lock(&lock);
        while (has_job)
            pthread_cond_wait(&emptied, &lock);
        slot = j;
        has_job = 1;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    while (done < jobs)
        pthread_cond_wait(&finished, &lock);
    quit = 1;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    printf("%d jobs, sum %d\n", done, sum);
    return 0;
}
