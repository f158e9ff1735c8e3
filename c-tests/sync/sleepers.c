// Sleeps end in the order of their times, whatever the order in which they began, and the clock shows what was slept.
// exec:
// stdout: short
// stdout: long
// stdout: timed out
// stdout: slept
// ignore-native: on a busy machine two sleeps may end in the other order
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void *sleeper(void *name)
{
    usleep(*(char *)name == 'l' ? 600000 : 200000);
    puts(name);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    struct timespec from, to;
    clock_gettime(CLOCK_REALTIME, &from);
    pthread_create(&a, NULL, sleeper, "long");
    pthread_create(&b, NULL, sleeper, "short");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    to = from;
    to.tv_sec += 3;
    pthread_mutex_lock(&lock);
    if (pthread_cond_timedwait(&never, &lock, &to) == ETIMEDOUT)
        puts("timed out");
    pthread_mutex_unlock(&lock);
    clock_gettime(CLOCK_REALTIME, &to);
    long slept = (to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec;
    puts(slept < 3000000000 ? "too soon" : slept < 4000000000 ? "slept" : "too late");
    return 0;
}
