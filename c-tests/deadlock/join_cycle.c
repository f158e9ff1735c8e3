// Three threads that wait for each other's end, in a circle.
// run: enumerate
// expect: epochs=1 schedules=1 complete=true deadlocked=1
// ends: deadlock
// exec:
// error: deadlock
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#define THREADS 3

static pthread_t t[THREADS];
static sem_t all_exist;

static void *join_next(void *arg)
{
    sem_wait(&all_exist);
    pthread_join(t[((long)arg + 1) % THREADS], NULL);
    return NULL;
}

int main(void)
{
    sem_init(&all_exist, 0, 0);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, join_next, (void *)i);
    for (int i = 0; i < THREADS; i++)
        sem_post(&all_exist);
    pthread_exit(NULL);
}
