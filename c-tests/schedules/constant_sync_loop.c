// A loop that synchronises a constant number of times has a bound: one schedule, complete.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// constraint: true
// exec: 3
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int step, sum;

static void *worker(void *arg)
{
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&lock);
        sum += step;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    if (argc < 2)
        return 2;
    step = atoi(argv[1]);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", sum);
    return 0;
}
