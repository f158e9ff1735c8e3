// As often as the input says, a visitor is counted on a shelf and on those above it, each of which has a lock: a recursion in a loop.
//
// By hand: no deadlock. The marker of the recursion is executed in each round, so that the loop has none of its own, and there is an epoch
// at most for each shelf, and one behind the last. Inputs decide nothing in the recursion. Whoever passes its marker for that goes round until
// the bound of loops.
// run: enumerate -- @
// expect: complete=true deadlocked=0
// levels: O0 O1 O2
// exec: 4
// stdout: 4 4
// exec: 0
// stdout: 0 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct shelf {
    pthread_mutex_t lock;
    struct shelf *above;
    int visitors;
};

static void count(struct shelf *shelf)
{
    if (shelf == NULL)
        return;
    pthread_mutex_lock(&shelf->lock);
    shelf->visitors++;
    pthread_mutex_unlock(&shelf->lock);
    count(shelf->above);
}

int main(int argc, char **argv)
{
    struct shelf upper = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct shelf lower = {.lock = PTHREAD_MUTEX_INITIALIZER, .above = &upper};
    int visitors = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < visitors; i++)
        count(&lower);
    printf("%d %d\n", lower.visitors, upper.visitors);
    return 0;
}
