// A table that is not there, at an index that is an input: an error for every index, and no access of another object.
// run: enumerate -- @
// expect: complete=true deadlocked=0
// ends: memory-error exit
// exec: 0
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long table[100];

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 0;
    long *volatile none = NULL;
    long *p = n == 0 ? table : none;
    pthread_mutex_lock(&m);
    p[n] = 1;
    pthread_mutex_unlock(&m);
    return 0;
}
