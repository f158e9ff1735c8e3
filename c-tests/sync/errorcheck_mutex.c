// An error-checking mutex says what is wrong in place of hanging.
// run: enumerate
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// exec:
// stdout: lock 0, again EDEADLK, try EBUSY
// stdout: other EPERM
// stdout: unlock 0, again EPERM
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock;

static const char *name(int error)
{
    switch (error) {
    case 0:
        return "0";
    case EDEADLK:
        return "EDEADLK";
    case EPERM:
        return "EPERM";
    case EBUSY:
        return "EBUSY";
    default:
        return "?";
    }
}

static void *other(void *arg)
{
    *(int *)arg = pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t attr;
    pthread_t t;
    int result = -1;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lock, &attr);
    int first = pthread_mutex_lock(&lock);
    int again = pthread_mutex_lock(&lock);
    int try = pthread_mutex_trylock(&lock);
    printf("lock %s, again %s, try %s\n", name(first), name(again), name(try));
    pthread_create(&t, NULL, other, &result);
    pthread_join(t, NULL);
    printf("other %s\n", name(result));
    first = pthread_mutex_unlock(&lock);
    again = pthread_mutex_unlock(&lock);
    printf("unlock %s, again %s\n", name(first), name(again));
    return pthread_mutex_destroy(&lock);
}
