// Behind the error that a pointer is used which was freed for one input: who reads there may read anything, also
// where it is the pointer that inputs choose and not whether something is freed.
// run: enumerate --memory-errors=continue -- @
// expect: complete=true deadlocked=1
// status: 1
// levels: O0
// exec: 3
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 0;
    int *p = malloc(sizeof *p), *other = n == 7 ? p : NULL;
    if (!p)
        return 1;
    *p = 2;
    free(other);
    pthread_mutex_lock(&a);
    if (*p == 1)
        pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    return 0;
}
