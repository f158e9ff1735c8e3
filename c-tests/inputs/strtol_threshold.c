// strtol of an argument, in whatever base, is one input named after the argument.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// constraint: strtol(argv[1], NULL, 0) > 100
// exec: 99
// exec: 101
// exec: 0x70
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long n, locked;

static void *worker(void *arg)
{
    if (n > 100) {
        pthread_mutex_lock(&lock);
        locked = n;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2)
        return 2;
    n = strtol(argv[1], NULL, 0);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    printf("%ld\n", locked);
    return 0;
}
