// The main thread ends before the other one, which ends the process.
// end: exits with status 0
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *argument)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return argument;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_detach(t);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_exit(0);
}
