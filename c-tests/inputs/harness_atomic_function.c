// Functions with such names are atomic as they are called, also within each other, by pointer, and as threads.
// Who waits inside of one is outside of it meanwhile: the other thread can do what is waited for.
// run: enumerate
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// exec:
// exit: 0
// ignore-native: nobody defines the functions of the suites
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int count, passed;

static int __VERIFIER_atomic_add(int n)
{
    return n == 0 ? count : (count++, __VERIFIER_atomic_add(n - 1));
}

void *__VERIFIER_atomic_pass(void *arg)
{
    pthread_mutex_lock(&gate);
    passed = __VERIFIER_atomic_add(1);
    __VERIFIER_atomic_begin();
    pthread_mutex_unlock(&gate);
    __VERIFIER_atomic_end();
    return arg;
}

int main(void)
{
    int (*add)(int) = __VERIFIER_atomic_add;
    pthread_t t;
    pthread_mutex_lock(&gate);
    pthread_create(&t, 0, __VERIFIER_atomic_pass, 0);
    add(2);
    pthread_mutex_unlock(&gate);
    pthread_join(t, 0);
    return passed == 3 ? 0 : 1;
}
