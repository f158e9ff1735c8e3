// A timed wait that nobody signals returns ETIMEDOUT with the mutex held again.
// run: enumerate
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// exec:
// stdout: timed out
// stdout: held
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

int main(void)
{
    struct timespec long_ago = { 1, 0 };
    pthread_mutex_lock(&lock);
    int result = pthread_cond_timedwait(&never, &lock, &long_ago);
    puts(result == ETIMEDOUT ? "timed out" : "?");
    puts(pthread_mutex_trylock(&lock) == EBUSY ? "held" : "free");
    pthread_mutex_unlock(&lock);
    return 0;
}
