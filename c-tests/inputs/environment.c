// An environment variable made symbolic: its first character decides.
// run: enumerate --sym-env ICSCHED_TEST_MODE
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// exec:
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int strict, locked;

static void *worker(void *arg)
{
    if (strict) {
        pthread_mutex_lock(&lock);
        locked = 1;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    const char *mode = getenv("ICSCHED_TEST_MODE");
    strict = mode && mode[0] == 's';
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    printf("%d\n", locked);
    return 0;
}
