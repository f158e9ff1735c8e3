// A table that is not there, at an index that is an input: an error for every index, and no access of another object.
// run: enumerate -- @
// expect: complete=true deadlocked=0
// ends: memory-error
// status: 1
// exec: 0
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long table[100];

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 0;
    long *volatile none = NULL;
    if (n == 0)
        return 0;
    table[0] = n;
    pthread_mutex_lock(&m);
    none[n] = 1;
    pthread_mutex_unlock(&m);
    return 0;
}
