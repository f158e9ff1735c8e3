// Values from nowhere are inputs, named after the variables that they are stored to.
// Two readings of one variable are `level` and `level#2`. What is stored nowhere is named after the function.
// run: enumerate
// expect: epochs=1 schedules=4 complete=true deadlocked=0
// constraint: limit > 10
// constraint: config.mode == 2
// constraint: nondet_bool
// exec:
// exit: 0
// ignore-native: nobody defines the functions of the suites
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern unsigned nondet_uint(void);

static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t B = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t C = PTHREAD_MUTEX_INITIALIZER;
struct {
    int fill;
    unsigned char mode;
} config;

static void once(pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
}

static void *worker(void *arg)
{
    if (config.mode == 2)
        once(&B);
    return arg;
}

int main(void)
{
    pthread_t t;
    int limit = __VERIFIER_nondet_int();
    if (limit > 10) {
        once(&A);
        return 0;
    }
    config.mode = __VERIFIER_nondet_uchar();
    pthread_create(&t, 0, worker, 0);
    if (config.mode != 2 && __VERIFIER_nondet_bool())
        once(&C);
    pthread_join(t, 0);
    return 0;
}
