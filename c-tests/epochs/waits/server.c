// A server that never ends by itself: main reads commands without an end, a worker answers requests without an end.
//
// By hand, with markers in front of both endless loops, and threads that run in the order of their numbers: 3 epochs with 7
// schedules, no deadlock. The entry has 1. From both markers there are 3: on `r`, main gives the worker something to do,
// which does it and comes back; on another character, the worker waits; on `q` or the end of the input, the program ends.
// From main's marker while the worker waits there are 3 again. Before the end main takes the lock, so that it is no prefix
// of another schedule. No schedule ends all threads by themselves.
// exec:
// stdin: r.rr
// stdin: rq rr
// stdout: 4 requests answered
// exec:
// stdin: r
// stdout: 1 requests answered
// exec:
// stdout: 0 requests answered
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t requested = PTHREAD_COND_INITIALIZER, answered = PTHREAD_COND_INITIALIZER;
static int requests, answers, open_requests;

static void *worker(void *arg)
{
    for (;;) { //~ worker
        pthread_mutex_lock(&lock);
        while (open_requests == 0)
            pthread_cond_wait(&requested, &lock);
        open_requests--;
        answers++;
        pthread_cond_signal(&answered);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void quit(void)
{
    pthread_mutex_lock(&lock);
    while (answers < requests)
        pthread_cond_wait(&answered, &lock);
    printf("%d requests answered\n", answers);
    exit(0);
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    for (;;) { //~ main
        int c = getchar();
        if (c == 'q' || c == EOF)
            quit();
        if (c == 'r') {
            pthread_mutex_lock(&lock);
            requests++;
            open_requests++;
            pthread_cond_signal(&requested);
            pthread_mutex_unlock(&lock);
        }
    }
}
