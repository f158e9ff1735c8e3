// Nothing orders the accesses of a number: both values can be read.
// end: exits with status 0
// end: exits with status 1
// race: number
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int number;
static void *work(void *argument)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    number = 1;
    return argument;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    int seen = number;
    pthread_join(t, 0);
    return seen;
}
