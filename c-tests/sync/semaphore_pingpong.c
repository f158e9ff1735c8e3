// Two threads take turns by two semaphores: their order is forced.
// run: enumerate
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// exec:
// stdout: ping 0
// stdout: pong 0
// stdout: ping 1
// stdout: pong 1
// stdout: ping 2
// stdout: pong 2
// stdout: left 0 1
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t ping, pong;

static void *pinger(void *arg)
{
    for (int i = 0; i < 3; i++) {
        sem_wait(&ping);
        printf("ping %d\n", i);
        sem_post(&pong);
    }
    return arg;
}

static void *ponger(void *arg)
{
    for (int i = 0; i < 3; i++) {
        sem_wait(&pong);
        printf("pong %d\n", i);
        sem_post(&ping);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    int value;
    sem_init(&ping, 0, 1);
    sem_init(&pong, 0, 0);
    pthread_create(&b, NULL, ponger, NULL);
    pthread_create(&a, NULL, pinger, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    sem_getvalue(&ping, &value);
    printf("left %d %d\n", sem_trywait(&pong) == 0, value);
    return 0;
}
