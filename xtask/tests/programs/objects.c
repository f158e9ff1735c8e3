// One of each kind: barrier, read-write lock, spin lock, once, semaphore, key, C11 mutex, error-checking mutex.
// end: exits with status 0
// end: exits with status 1
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
static pthread_barrier_t barrier;
static pthread_rwlock_t shelf = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t strict = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_key_t key;
static mtx_t c11;
static sem_t sem;
static int made, ended, serial;
static void make(void) { made++; }
static void at_end(void *value) { ended += *(int *)value; sem_post(&sem); }
static int work(void *argument)
{
    static int one = 1;
    pthread_once(&once, make);
    pthread_setspecific(key, &one);
    pthread_rwlock_rdlock(&shelf);
    int seen = made;
    pthread_rwlock_unlock(&shelf);
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) serial = 1;
    return seen + (argument != 0);
}
int main(void)
{
    thrd_t t;
    int result;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_spin_init(&spin, 0);
    pthread_key_create(&key, at_end);
    mtx_init(&c11, mtx_plain);
    sem_init(&sem, 0, 0);
    thrd_create(&t, work, 0);
    pthread_once(&once, make);
    pthread_barrier_wait(&barrier);
    sem_wait(&sem);
    thrd_join(t, &result);
    pthread_spin_lock(&spin), pthread_spin_unlock(&spin);
    mtx_lock(&c11), mtx_unlock(&c11);
    int wrong = pthread_mutex_lock(&strict) || pthread_mutex_lock(&strict) != EDEADLK || pthread_mutex_unlock(&strict);
    return wrong || result != 1 || ended != 1 ? 9 : serial;
}
