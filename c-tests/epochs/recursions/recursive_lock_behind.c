// A recursion goes down without synchronising, as deep as the input says, and takes a lock on its way back.
//
// By hand: no deadlock, since nobody holds the lock for long. A marker behind the recursive call bounds how often a thread locks in an
// epoch, but not how deep it goes before: there must be one at the function's entry, too. (There was none: followed 32 times, and the
// result was incomplete.)
// run: enumerate -- @ @
// expect: complete=true deadlocked=0 epoch_markers=2
// exec: 3 4
// stdout: 16
// exec: 40 0
// stdout: 820
// exec: 0 0
// stdout: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum;

static void add(int n)
{
    if (n <= 0)
        return;
    add(n - 1);
    pthread_mutex_lock(&lock);
    sum += n;
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
    add(*(int *)arg);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    int depth[2] = { atoi(argv[1]), atoi(argv[2]) };
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, &depth[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%ld\n", sum);
    return 0;
}
