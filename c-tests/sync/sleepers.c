// Sleeps end in the order of their times, whatever the order in which they began, and the clock shows what was slept.
// exec:
// stdout: short
// stdout: long
// stdout: timed out
// stdout: 3 seconds
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
    printf("%ld seconds\n", (long)(to.tv_sec - from.tv_sec));
    return 0;
}
