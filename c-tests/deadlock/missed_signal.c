// The signal is sent before anybody waits, and the waiter looks at no condition first: the signal is lost.
// run: enumerate
// expect: epochs=1 schedules=1 complete=true deadlocked=1
// ends: deadlock
// exec:
// error: deadlock
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;

static void *waiter(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&ready, &lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
    pthread_create(&t, NULL, waiter, NULL);
    pthread_join(t, NULL);
    puts("woken");
    return 0;
}
