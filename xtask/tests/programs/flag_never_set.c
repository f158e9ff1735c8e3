// One waits for an atomic flag that the other sets only if it gets a lock at once.
// end: exits with status 0
// end: goes on for ever in T0
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int flag;
static void *work(void *argument)
{
    if (pthread_mutex_trylock(&m) == 0) {
        atomic_store(&flag, 1);
        pthread_mutex_unlock(&m);
    }
    return argument;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    while (!atomic_load(&flag))
        sched_yield();
    pthread_join(t, 0);
    return 0;
}
