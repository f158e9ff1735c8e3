// A timed lock gives up when nobody can release the lock, and takes a free one at once.
// run: enumerate
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// exec:
// stdout: timed out
// stdout: locked
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *attempt(void *arg)
{
    struct timespec long_ago = { 1, 0 };
    int result = pthread_mutex_timedlock(&lock, &long_ago);
    puts(result == ETIMEDOUT ? "timed out" : result == 0 ? "locked" : "?");
    if (result == 0)
        pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_mutex_lock(&lock);
    pthread_create(&t, NULL, attempt, NULL);
    pthread_join(t, NULL);
    pthread_mutex_unlock(&lock);
    pthread_create(&t, NULL, attempt, NULL);
    pthread_join(t, NULL);
    return 0;
}
