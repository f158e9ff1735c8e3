// A function of the program's own name for an assumption: the option says what it is.
// run: enumerate --extern require=assume
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// ends: exit
// ignore-native: nobody defines the functions of the suites
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern void require(long condition);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    require(n < 4);
    pthread_mutex_lock(&lock);
    if (n > 4)
        pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}
