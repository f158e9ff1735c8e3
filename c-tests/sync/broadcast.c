// A broadcast wakes every waiter; a gate that is open already stops nobody.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// constraint: true
// exec: 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int open, through, message, read_sum;

static void *walker(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!open)
        pthread_cond_wait(&opened, &lock);
    through++;
    read_sum += message;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *opener(void *arg)
{
    pthread_mutex_lock(&lock);
    open = 1;
    message = *(int *)arg;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[4];
    if (argc < 2)
        return 2;
    int n = atoi(argv[1]);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, walker, NULL);
    pthread_create(&t[3], NULL, opener, &n);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("%d through, %d\n", through, read_sum);
    return 0;
}
