// A thread that waits for a mutex within two atomic sections is outside of them meanwhile.
// The main thread holds the mutex and wants to enter a section: neither waits for ever.
// run: enumerate
// expect: schedules>=20 complete=true deadlocked=0
// ignore-native: nobody defines the functions of the suites, and it may go on for ever
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *worker(void *arg)
{
    for (;;) {
        __VERIFIER_atomic_begin();
        __VERIFIER_atomic_begin();
        pthread_mutex_lock(&lock);
        count--;
        pthread_mutex_unlock(&lock);
        __VERIFIER_atomic_end();
        __VERIFIER_atomic_end();
        if (__VERIFIER_nondet_uint() == 3)
            return arg;
    }
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, worker, 0);
    pthread_create(&u, 0, worker, 0);
    do {
        pthread_mutex_lock(&lock);
        __VERIFIER_atomic_begin();
        count++;
        __VERIFIER_atomic_end();
        pthread_mutex_unlock(&lock);
    } while (__VERIFIER_nondet_uint() != 3);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
