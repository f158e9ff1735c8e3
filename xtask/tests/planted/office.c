// Two clerks prepare, meet, and hand a file to the chief. For more than 10 customers one keeps the key.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static pthread_mutex_t desk = PTHREAD_MUTEX_INITIALIZER, key = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t meeting;
static sem_t files;
static int customers, ready;

static void *first(void *argument)
{
    pthread_mutex_lock(&key);
    if (customers <= 10)
        pthread_mutex_unlock(&key);
    pthread_barrier_wait(&meeting);
    pthread_mutex_lock(&desk);
    ready = 1;
    pthread_cond_signal(&arrived);
    pthread_mutex_unlock(&desk);
    return argument;
}

static void *second(void *argument)
{
    pthread_barrier_wait(&meeting);
    pthread_mutex_lock(&key);
    pthread_mutex_unlock(&key);
    sem_post(&files);
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    if (argc < 2)
        return 2;
    customers = atoi(argv[1]);
    pthread_barrier_init(&meeting, NULL, 2);
    sem_init(&files, 0, 0);
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    pthread_mutex_lock(&desk);
    while (!ready)
        pthread_cond_wait(&arrived, &desk);
    pthread_mutex_unlock(&desk);
    sem_wait(&files);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
