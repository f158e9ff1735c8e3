// A thread counts for ever, and has asked to be cancelled wherever it is. Where that is is not followed, and the result
// says so.
// run: enumerate
// expect: endless=1 complete=false
// reason: asynchronous cancellation is not followed
// status: 1
// levels: O0
// exec:
// exit: 0
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;
static volatile unsigned long ticks;

static void *count(void *argument)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    sem_post(&ready);
    for (;;)
        ticks++;
    return argument;
}

int main(void)
{
    pthread_t t;
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, count, NULL);
    sem_wait(&ready);
    pthread_cancel(t);
    pthread_join(t, NULL);
    return 0;
}
