// A wait with a time limit ends before the signal comes, or by it.
// end: exits with status 0
// end: exits with status 1
#include <errno.h>
#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static void *work(void *argument)
{
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return argument;
}
int main(void)
{
    pthread_t t;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_create(&t, 0, work, 0);
    pthread_mutex_lock(&m);
    int error = 0;
    while (!ready && !error) error = pthread_cond_timedwait(&c, &m, &until);
    int late = !ready;
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return late;
}
