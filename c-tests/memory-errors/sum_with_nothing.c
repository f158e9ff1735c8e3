// A sum with a number that was never written may be any number, whatever the other one is. For one input the lock
// that is taken then is none: that is an end of its own.
// run: enumerate --memory-errors=continue -- @
// expect: complete=true deadlocked=1
// ends: deadlock exit memory-error
// status: 1
// levels: O0
// exec: 9
// error: null-pointer
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 0;
    int never;
    pthread_mutex_t *lock = n == 9 ? NULL : &a;
    pthread_mutex_lock(lock);
    if (never + n == 1)
        pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    return 0;
}
