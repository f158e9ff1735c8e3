// The owner of a robust mutex ends: the next one is told, may repair it, and if it does not nobody gets it any more.
// run: enumerate
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// exec:
// stdout: 1 1 0 1
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex;

static void *leave_locked(void *unused)
{
    pthread_mutex_lock(&mutex);
    return NULL;
}

static void owner_dies(void)
{
    pthread_t t;
    pthread_create(&t, NULL, leave_locked, NULL);
    pthread_join(t, NULL);
}

int main(void)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attr);
    owner_dies();
    int first = pthread_mutex_lock(&mutex) == EOWNERDEAD;
    pthread_mutex_consistent(&mutex);
    pthread_mutex_unlock(&mutex);
    owner_dies();
    int second = pthread_mutex_lock(&mutex) == EOWNERDEAD;
    int unlocked = pthread_mutex_unlock(&mutex);
    int last = pthread_mutex_lock(&mutex) == ENOTRECOVERABLE;
    printf("%d %d %d %d\n", first, second, unlocked, last);
    return 0;
}
