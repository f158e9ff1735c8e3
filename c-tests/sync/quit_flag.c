// A consumer that runs until it is told to quit; the number of items is constant, so it needs no epoch marker.
// run: enumerate --without epochs -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// constraint: true
// exec: 7
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int pending, value;
static bool quit;
static long sum;

static void *consumer(void *arg)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (pending == 0 && !quit)
            pthread_cond_wait(&changed, &lock);
        if (pending == 0)
            break;
        sum += value;
        pending--;
        pthread_cond_signal(&changed);
    }
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2)
        return 2;
    int n = atoi(argv[1]);
    pthread_create(&t, NULL, consumer, NULL);
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        while (pending != 0)
            pthread_cond_wait(&changed, &lock);
        value = n + i;
        pending = 1;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    quit = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    printf("%ld\n", sum);
    return 0;
}
