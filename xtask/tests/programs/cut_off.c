// The process exits while a thread is at work, which may abort before.
// end: exits with status 3
// end: aborts at cut_off.c:9
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *argument)
{
    pthread_mutex_lock(&m), pthread_mutex_unlock(&m), abort();
    return argument;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    return 3;
}
