// A recursive mutex may be locked again by its owner: no deadlock, and as many unlocks as locks.
// run: enumerate --without epochs -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// exec: 5
// exec: 0
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock;
static pthread_mutex_t fixed = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int depth_seen;

static int descend(int depth)
{
    pthread_mutex_lock(&lock);
    int below = depth > 0 ? descend(depth - 1) : 0;
    depth_seen++;
    pthread_mutex_unlock(&lock);
    return below + 1;
}

static void *worker(void *arg)
{
    descend(3);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    pthread_mutexattr_t attr;
    if (argc < 2)
        return 2;
    int start = atoi(argv[1]);
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attr);
    pthread_mutexattr_destroy(&attr);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    pthread_mutex_lock(&fixed);
    printf("again: %d\n", pthread_mutex_trylock(&fixed));
    pthread_mutex_unlock(&fixed);
    pthread_mutex_unlock(&fixed);
    printf("once too often: %d\n", pthread_mutex_unlock(&fixed) == EPERM);
    printf("%d\n", depth_seen + start);
    return 0;
}
