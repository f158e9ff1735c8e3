// A barrier for three that only two threads reach.
// run: enumerate
// expect: epochs=1 schedules=1 complete=true deadlocked=1
// ends: deadlock
// exec:
// error: deadlock
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t barrier;

static void *worker(void *arg)
{
    pthread_barrier_wait(&barrier);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_barrier_init(&barrier, NULL, 3);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    puts("over");
    return 0;
}
