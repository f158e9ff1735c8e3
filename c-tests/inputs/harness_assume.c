// What a program assumes holds of its inputs: nothing is said of others. The inputs 0 to 3 remain.
// Of these 3 leads to a deadlock, and none to the call of abort().
// run: enumerate
// expect: epochs=1 schedules=2 complete=true deadlocked=1
// ends: exit deadlock
// constraint: n > 2
// variants: -DASSUME=__VERIFIER_assume, -DASSUME=__ESBMC_assume, -DASSUME=__CPROVER_assume, -DASSUME=klee_assume
// levels: O0 O2
// exec:
// exit: 0
// ignore-native: nobody defines the functions of the suites
#include <pthread.h>
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern void ASSUME(int condition);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    ASSUME(n < 4);
    if (n == 9)
        abort();
    pthread_mutex_lock(&lock);
    if (n > 2)
        pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}
