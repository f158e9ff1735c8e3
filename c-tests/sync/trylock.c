// A try-lock fails while the lock is held elsewhere and succeeds when it is free; the threads are ordered by joins, so
// both outcomes are certain.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// constraint: true
// exec: 4
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *attempt(void *arg)
{
    int result = pthread_mutex_trylock(&lock);
    if (result == 0) {
        value++;
        pthread_mutex_unlock(&lock);
    }
    *(int *)arg = result;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t;
    int busy = -1, free_now = -1;
    if (argc < 2)
        return 2;
    value = atoi(argv[1]);
    pthread_mutex_lock(&lock);
    pthread_create(&t, NULL, attempt, &busy);
    pthread_join(t, NULL);
    pthread_mutex_unlock(&lock);
    pthread_create(&t, NULL, attempt, &free_now);
    pthread_join(t, NULL);
    printf("%s, %s, %d\n", busy == EBUSY ? "busy" : "?", free_now == 0 ? "taken" : "?", value);
    return 0;
}
