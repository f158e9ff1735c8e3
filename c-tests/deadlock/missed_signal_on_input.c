// The producer signals only for even inputs; the consumer waits for every item.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=1
// ends: deadlock exit
// exec: 2
// exit: 0
// exec: 3
// error: deadlock
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER;
static int item, has_item;

static void *consumer(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!has_item)
        pthread_cond_wait(&full, &lock);
    printf("got %d\n", item);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2)
        return 2;
    unsigned n = (unsigned)atoi(argv[1]);
    pthread_create(&t, NULL, consumer, NULL);
    if (n % 2 == 0) {
        pthread_mutex_lock(&lock);
        item = (int)n;
        has_item = 1;
        pthread_cond_signal(&full);
        pthread_mutex_unlock(&lock);
    }
    pthread_join(t, NULL);
    return 0;
}
