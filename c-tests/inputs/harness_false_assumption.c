// An assumption that does not hold ends the run, in both domains; the deadlock behind it does not count.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// exec: few
// exit: 0
// exec:
// exit: 3
// stderr: the program assumes what does not hold in this run
// ignore-native: nobody defines the functions of the suites
#include <pthread.h>

extern void __VERIFIER_assume(int condition);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(int argc, char **argv)
{
    pthread_mutex_lock(&lock);
    __VERIFIER_assume(argc > 1);
    if (argc <= 1)
        pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}
