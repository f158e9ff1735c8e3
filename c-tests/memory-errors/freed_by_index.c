// An input chooses which of two blocks is freed, by an index: that the other one is used, or this one, is an error for
// some inputs only.
// run: enumerate -- @
// expect: epochs=1 complete=true deadlocked=1
// ends: deadlock memory-error
// holds: 7 -> deadlock
// status: 1
// run: enumerate --memory-errors=continue -- @
// expect: epochs=1 complete=true deadlocked=1 errors=1
// memory-error: {use}: use-after-free
// status: 1
// levels: O0 O1
// exec: 3
// error: use-after-free
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 0;
    int *volatile first = malloc(sizeof *first), *volatile second = malloc(sizeof *second);
    if (!first || !second)
        return 1;
    *first = 1;
    int *blocks[2] = {first, second};
    free(blocks[n == 7]);
    pthread_mutex_lock(&a);
    if (*first == 1) //~ use
        pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    return 0;
}
