// Atomic sections are in an order with each other, like sections of one lock.
// run: enumerate
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// variants: -DSUITE=__VERIFIER, -DSUITE=__ESBMC, -DSUITE=__CPROVER
// levels: O0 O2
// exec:
// exit: 0
// ignore-native: nobody defines the functions of the suites
#include <pthread.h>
#include <stdlib.h>

#define JOIN(a, b) a##b
#define NAME(suite, what) JOIN(suite, what)

extern void NAME(SUITE, _atomic_begin)(void);
extern void NAME(SUITE, _atomic_end)(void);

static int count;

static void *add(void *arg)
{
    NAME(SUITE, _atomic_begin)();
    count++;
    NAME(SUITE, _atomic_end)();
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, add, 0);
    add(0);
    pthread_join(t, 0);
    return count == 2 ? 0 : 1;
}
