// A thread that computes without end is still interrupted: by the end of another one's sleep, by a signal, by an
// asynchronous cancellation. The handlers of pthread_cleanup_push run from the inside out.
// exec:
// stdout: stopped
// stdout: signal
// stdout: inner
// stdout: outer
// stdout: cancelled
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile int stop, seen, ready;
static volatile unsigned long work;

static void *until_stopped(void *unused)
{
    while (!stop)
        work++;
    return NULL;
}

static void handler(int number)
{
    seen = number;
}

static void *until_signalled(void *unused)
{
    while (!seen)
        work++;
    return NULL;
}

static void *until_cancelled(void *unused)
{
    pthread_cleanup_push((void (*)(void *))puts, "outer");
    pthread_cleanup_push((void (*)(void *))puts, "inner");
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    ready = 1;
    for (;;)
        work++;
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void)
{
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, until_stopped, NULL);
    usleep(10000);
    stop = 1;
    pthread_join(t, NULL);
    puts("stopped");
    signal(SIGUSR1, handler);
    pthread_create(&t, NULL, until_signalled, NULL);
    usleep(10000);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, NULL);
    puts(seen == SIGUSR1 ? "signal" : "?");
    pthread_create(&t, NULL, until_cancelled, NULL);
    while (!ready)
        usleep(1000);
    pthread_cancel(t);
    pthread_join(t, &result);
    puts(result == PTHREAD_CANCELED ? "cancelled" : "?");
    return 0;
}
