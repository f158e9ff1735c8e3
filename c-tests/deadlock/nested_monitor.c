// The consumer waits on a condition of the inner lock while it holds the outer one, which the producer needs first.
// run: enumerate
// expect: epochs=1 schedules=1 complete=true deadlocked=1
// ends: deadlock
// exec:
// error: deadlock
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER;
static int has_item;

static void *consumer(void *arg)
{
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    while (!has_item)
        pthread_cond_wait(&full, &inner);
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    return arg;
}

static void *producer(void *arg)
{
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    has_item = 1;
    pthread_cond_signal(&full);
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    return arg;
}

int main(void)
{
    pthread_t c, p;
    pthread_create(&c, NULL, consumer, NULL);
    pthread_create(&p, NULL, producer, NULL);
    pthread_join(c, NULL);
    pthread_join(p, NULL);
    puts("never");
    return 0;
}
