// The lock is an element of an array, chosen by the input: one schedule per element that can be chosen.
// run: enumerate -- @
// expect: epochs=1 schedules=3 complete=true deadlocked=0
// exec: 0
// exec: 4
// exec: 8
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define LOCKS 3

static pthread_mutex_t lock[LOCKS] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                       PTHREAD_MUTEX_INITIALIZER };
static unsigned which;
static int count[LOCKS];

static void *worker(void *arg)
{
    unsigned i = which % LOCKS;
    pthread_mutex_lock(&lock[i]);
    count[i]++;
    pthread_mutex_unlock(&lock[i]);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    if (argc < 2)
        return 2;
    which = (unsigned)atoi(argv[1]);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d %d %d\n", count[0], count[1], count[2]);
    return 0;
}
