// Three threads that take numbers off a counter under one lock until there are none; how many there are, the input says.
//
// Where an epoch begins with two threads that wait for the lock, they did not begin to wait at the same time. Who takes that for
// possible finds that neither is first when the lock is unlocked, that none is woken, and so a deadlock. By hand there is none.
// run: enumerate -- @
// expect: complete=true deadlocked=0
// exec: 5
// exec: 0
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next, numbers;

static int take(void)
{
    int number = -1;
    if (pthread_mutex_lock(&lock))
        exit(1);
    if (next < numbers)
        number = next++;
    if (pthread_mutex_unlock(&lock))
        exit(1);
    return number;
}

static void *worker(void *arg)
{
    int *taken = arg;
    while (take() >= 0)
        (*taken)++;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[3];
    int taken[3] = { 0 };
    numbers = argc > 1 ? atoi(argv[1]) : 4;
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, &taken[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
