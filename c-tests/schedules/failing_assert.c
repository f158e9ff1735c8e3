// A failing assertion ends the process: a prefix, so it adds no schedule.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// constraint: true
// status: 0 1
// exec: 4
// exit: 0
// exec: 5
// exit: 134
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    assert(value != 5);
    value++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2)
        return 2;
    value = atoi(argv[1]);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    printf("%d\n", value);
    return 0;
}
