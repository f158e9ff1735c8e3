// A word on the command line chooses the mode.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// exec: fast
// exec: slow
// exec: faster
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int fast, rounds;

static void *worker(void *arg)
{
    if (fast) {
        rounds = 1;
        return arg;
    }
    pthread_mutex_lock(&lock);
    rounds = 2;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2)
        return 2;
    fast = strcmp(argv[1], "fast") == 0;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    printf("%d\n", rounds);
    return 0;
}
