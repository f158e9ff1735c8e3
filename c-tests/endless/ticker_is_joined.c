// A thread prints for ever, and main joins it: no schedule goes on behind that. The result was empty, and called complete.
// run: enumerate
// expect: epochs=1 schedules=1 complete=true deadlocked=0 endless=1
// constraint: true
// ends: endless
// status: 1
// ignore-native: never ends
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int started;

static void *ticker(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    started = 1;
    pthread_mutex_unlock(&lock);
    for (;;)
        putchar('.');
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, ticker, NULL);
    pthread_mutex_lock(&lock);
    started = 2;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return started;
}
