// With an odd number the loop steps over its bound, and then over all others. No input decides what comes behind it, so nothing but the assumption
// says that such inputs do not get there.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// assumes: {stairs}
// levels: O0
// exec: 8
// stdout: 4
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned steps;

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    unsigned n = (unsigned)atoi(argv[1]);
    for (unsigned i = 0; i != n; i += 2) //~ stairs
        steps++;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    printf("%u\n", steps);
    return 0;
}
