// Detached threads, by attribute and by pthread_detach; joining one is an error.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// exec: 3
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static sem_t done, leave;
static int sum, input;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    sum += input * (int)(long)arg;
    pthread_mutex_unlock(&lock);
    sem_post(&done);
    sem_wait(&leave);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_attr_t attr;
    pthread_t a, b;
    if (argc < 2)
        return 2;
    input = atoi(argv[1]);
    sem_init(&done, 0, 0);
    sem_init(&leave, 0, 0);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_create(&a, &attr, worker, (void *)1L);
    pthread_attr_destroy(&attr);
    pthread_create(&b, NULL, worker, (void *)10L);
    pthread_detach(b);
    printf("join: %d\n", pthread_join(b, NULL) == EINVAL);
    sem_wait(&done);
    sem_wait(&done);
    pthread_mutex_lock(&lock);
    printf("%d\n", sum);
    pthread_mutex_unlock(&lock);
    sem_post(&leave);
    sem_post(&leave);
    return 0;
}
