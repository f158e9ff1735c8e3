// Numbers with a point, pointers and wide integers from nowhere.
// run: enumerate
// expect: epochs=1 schedules=4 complete=true deadlocked=1
// constraint: share
// constraint: far
// constraint: hint
// exec:
// exit: 0
// ignore-native: nobody defines the functions of the suites
#include <pthread.h>

extern double __VERIFIER_nondet_double(void);
extern void *__VERIFIER_nondet_pointer(void);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);

static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t B = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t C = PTHREAD_MUTEX_INITIALIZER;

static int take(pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return 0;
}

int main(void)
{
    double share = __VERIFIER_nondet_double();
    unsigned long long far = __VERIFIER_nondet_ulonglong();
    void *hint = __VERIFIER_nondet_pointer();
    if (share > 0.5)
        return take(&A);
    if (far > 0x100000000)
        return take(&B);
    pthread_mutex_lock(&C);
    if (hint)
        pthread_mutex_lock(&C);
    return 0;
}
