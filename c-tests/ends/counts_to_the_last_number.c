// With n == UINT_MAX the loop goes round for ever, so that it ends is an assumption. The one over the array ends, whatever n is: the array does.
// run: enumerate -- @
// expect: epochs=1 schedules>=1 complete=true deadlocked=0
// assumes: {sum}
// levels: O0
// exec: 4
// stdout: 10 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned total, ones;
static unsigned marks[16] = {1, 0, 1};

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    unsigned n = (unsigned)atoi(argv[1]);
    for (unsigned i = 0; i <= n; i++) //~ sum
        total += i;
    for (unsigned i = 0; i <= n; i++)
        ones += marks[i];
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    printf("%u %u\n", total, ones);
    return 0;
}
