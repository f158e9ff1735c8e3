// A thread is cancelled where it waits, with a lock and a handler that gives it back: nobody else waits for ever.
// run: enumerate -- @
// expect: complete=true deadlocked=0
// exec: 1
// exec: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int careful, waiting;
static pthread_cond_t begun = PTHREAD_COND_INITIALIZER;

static void unlock(void *lock)
{
    pthread_mutex_unlock(lock);
}

static void *work(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlock, &m);
    waiting = 1;
    pthread_cond_signal(&begun);
    while (!careful)
        pthread_cond_wait(&never, &m);
    pthread_cleanup_pop(1);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    void *result;
    careful = argc > 1 && atoi(argv[1]) == 1;
    pthread_create(&t, NULL, work, NULL);
    pthread_mutex_lock(&m);
    while (!waiting)
        pthread_cond_wait(&begun, &m);
    pthread_mutex_unlock(&m);
    pthread_cancel(t);
    pthread_join(t, &result);
    pthread_mutex_lock(&m);
    if (!careful)
        printf("%d\n", result == PTHREAD_CANCELED);
    pthread_mutex_unlock(&m);
    return 0;
}
