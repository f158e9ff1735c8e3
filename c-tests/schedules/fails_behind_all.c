// What threads have computed is checked behind the last synchronisation. The order is the same for all inputs, the end is not.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0 aborted=1
// constraint: atoi(argv[1]) == 3
// ends: exit abort
// exec: 4
// exit: 0
// exec: 3
// exit: 134
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int spoilt;

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    if (*(int *)arg == 3)
        spoilt = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2)
        return 2;
    int n = atoi(argv[1]);
    pthread_create(&t, NULL, worker, &n);
    pthread_join(t, NULL);
    assert(!spoilt);
    return 0;
}
