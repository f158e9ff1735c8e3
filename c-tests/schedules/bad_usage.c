// An early return for a bad argument ends the process before it synchronises: it is a prefix, not a schedule.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// constraint: true
// exec: 10
// exec: 0
// exit: 2
// exec: -4
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int size, seen;

static int usage(const char *why)
{
    fprintf(stderr, "usage: bad_usage SIZE (%s)\n", why);
    return 2;
}

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    seen = size;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc != 2)
        return usage("one argument");
    size = atoi(argv[1]);
    if (size == 0)
        return usage("not zero");
    if (size < 0)
        return usage("not negative");
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    printf("%d\n", seen);
    return 0;
}
