// A thread is cancelled where it waits; its cleanup handler gives the lock back.
// end: exits with status 0
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void give_back(void *argument) { pthread_mutex_unlock(argument); }
static void *work(void *argument)
{
    pthread_mutex_lock(&m);
    pthread_cleanup_push(give_back, &m);
    for (;;) pthread_cond_wait(&c, &m);
    pthread_cleanup_pop(1);
    return argument;
}
int main(void)
{
    pthread_t t;
    void *result;
    pthread_create(&t, 0, work, 0);
    pthread_cancel(t);
    pthread_join(t, &result);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return result != PTHREAD_CANCELED;
}
