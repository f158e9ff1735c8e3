// Two locks in two orders.
// end: exits with status 2
// end: ends in a deadlock of T0 and T1
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *work(void *argument)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    n++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return argument;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    n++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_join(t, 0);
    return n;
}
