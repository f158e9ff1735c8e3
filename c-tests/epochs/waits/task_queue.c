// A producer, which is main, and a consumer with a queue without a bound: a mutex, a condition variable, a count of items and
// a flag that says that nothing more comes.
//
// By hand, with markers in front of both loops' conditions (the inner one only waits for the condition variable) and threads
// that run in the order of their numbers: the entry has 1 schedule. With both at their markers, the producer puts an item,
// which the consumer takes, or it says that it is done and the consumer ends: 2. So 2 epochs with 3 schedules, no deadlock.
// Who knows only that there are not less than no items at the markers has a schedule more there, in which the consumer takes
// one after the end, and an epoch with 2 schedules behind it: 3 epochs with 6 schedules.
// exec: 3
// stdout: 3 items, sum 6
// exec: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting, done, taken, sum;

static void *consumer(void *arg)
{
    for (;;) { //~ consumer
        pthread_mutex_lock(&lock);
        while (waiting == 0 && !done)
            pthread_cond_wait(&changed, &lock);
        if (waiting == 0) {
            pthread_mutex_unlock(&lock);
            break;
        }
        waiting--;
        taken++;
        pthread_mutex_unlock(&lock);
        sum += taken;
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    int items = argc > 1 ? atoi(argv[1]) : 0;
    pthread_create(&t, NULL, consumer, NULL);
    for (int i = 0; i < items; i++) { //~ producer
        pthread_mutex_lock(&lock);
        waiting++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    printf("%d items, sum %d\n", taken, sum);
    return 0;
}
