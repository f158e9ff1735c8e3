// Each reading of a value from nowhere is an input of its own, also of one variable in a loop.
// run: enumerate
// expect: epochs=1 schedules=3 complete=true deadlocked=2
// ends: exit deadlock deadlock
// constraint: level == 7
// constraint: level#2 == 7
// exec:
// exit: 0
// ignore-native: nobody defines the functions of the suites
#include <pthread.h>

unsigned nondet_uint(void);

static pthread_mutex_t full = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    for (int i = 0; i < 2; i++) {
        unsigned level = nondet_uint();
        pthread_mutex_lock(&full);
        if (level == 7)
            pthread_mutex_lock(&full);
        pthread_mutex_unlock(&full);
    }
    return 0;
}
