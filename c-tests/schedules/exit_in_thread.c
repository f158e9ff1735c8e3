// A thread that calls exit() ends the process; before any further synchronisation that is a prefix.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// constraint: true
// exec: 1
// stdout: all the way
// exit: 0
// exec: 9
// stdout: giving up
// exit: 3
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int limit;

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    if (limit > 8) {
        puts("giving up");
        exit(3);
    }
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2)
        return 2;
    limit = atoi(argv[1]);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    puts("all the way");
    return 0;
}
