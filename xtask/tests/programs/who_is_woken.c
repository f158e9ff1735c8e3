// Two threads wait for one token. A signal wakes either; it is lost if nobody waits yet.
// end: exits with status 1
// end: exits with status 2
// end: ends in a deadlock of T0, T1 and T2
// end: ends in a deadlock of T0 and T1
// end: ends in a deadlock of T0 and T2
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int first;
static void *work(void *argument)
{
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    if (!first) first = (int)(long)argument;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return argument;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, work, (void *)1L);
    pthread_create(&t[1], 0, work, (void *)2L);
    pthread_cond_signal(&c);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return first;
}
