// An assumption of two parts: the compiler branches between them, so that on one way the second part is false for sure.
// run: enumerate
// expect: epochs=1 schedules=2 complete=true deadlocked=1
// ends: exit deadlock
// exec:
// exit: 0
// ignore-native: nobody defines the functions of the suites
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int condition);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    int rounds = __VERIFIER_nondet_int();
    __VERIFIER_assume(rounds >= 0 && rounds <= 3);
    pthread_mutex_lock(&lock);
    if (rounds > 2)
        pthread_mutex_lock(&lock);
    if (rounds < 0 || rounds > 3)
        pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}
