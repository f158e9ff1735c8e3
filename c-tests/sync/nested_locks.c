// Locks taken in one order through several functions, by threads that a thread creates.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// constraint: true
// exec: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static int input, total;

static void add_inner(int n)
{
    pthread_mutex_lock(&inner);
    total += n;
    pthread_mutex_unlock(&inner);
}

static void add_outer(int n)
{
    pthread_mutex_lock(&outer);
    add_inner(n);
    add_inner(n * 2);
    pthread_mutex_unlock(&outer);
}

static void *leaf(void *arg)
{
    add_outer(input + (int)(long)arg);
    return NULL;
}

static void *branch(void *arg)
{
    long base = (long)arg;
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, leaf, (void *)(base + i));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    if (argc < 2)
        return 2;
    input = atoi(argv[1]);
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, branch, (void *)(10 * i));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", total);
    return 0;
}
