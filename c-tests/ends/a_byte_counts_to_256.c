// A byte is never 256: who goes into the loop stays there. Optimisers take the test away, so that it has no way out; without, its test is never so.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0 endless=1
// constraint: argv[1][0] == 'x'
// ends: exit endless
// assumes: none
// status: 1
// exec: a
// stdout: 0
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned char used[256];
static int rounds;

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    if (argv[1][0] == 'x')
        for (unsigned char c = 0; c < 256; c++)
            used[c] = 1;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    printf("%d\n", rounds);
    return 0;
}
