// Two threads take two locks in opposite order. Some interleaving deadlocks, but the set's one schedule, which the
// program can always be held to, does not.
// run: enumerate
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// constraint: true
// ends: exit
// exec:
// stdout: 11
// ignore-native: can deadlock when nothing holds it to the schedule
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t B = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *first(void *arg)
{
    pthread_mutex_lock(&A);
    pthread_mutex_lock(&B);
    sum += 1;
    pthread_mutex_unlock(&B);
    pthread_mutex_unlock(&A);
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_lock(&B);
    pthread_mutex_lock(&A);
    sum += 10;
    pthread_mutex_unlock(&A);
    pthread_mutex_unlock(&B);
    return arg;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, first, NULL);
    pthread_create(&t2, NULL, second, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    printf("%d\n", sum);
    return 0;
}
