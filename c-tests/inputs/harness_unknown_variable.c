// Behind a marker nobody knows what `turn` was, and a new value for it is read: these are two things.
// Only equal values lead to the other lock.
// run: enumerate
// expect: schedules>=3 complete=true deadlocked=0
// constraint: turn#1
// ignore-native: nobody defines the functions of the suites, and it may go on for ever
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t B = PTHREAD_MUTEX_INITIALIZER;
static int turn;

int main(void)
{
    turn = __VERIFIER_nondet_int();
    for (;;) {
        pthread_mutex_lock(&A);
        pthread_mutex_unlock(&A);
        int before = turn;
        turn = __VERIFIER_nondet_int();
        if (turn == before) {
            pthread_mutex_lock(&B);
            pthread_mutex_lock(&A);
            pthread_mutex_unlock(&A);
            pthread_mutex_unlock(&B);
        }
    }
}
