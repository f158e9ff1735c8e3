// An assertion about a sum of two inputs fails for some of them.
// ignore-native: only what is found is compared
// mended: -DFIXED
// run: check --only assert -- @ @
// finding: confirmed assert: assertion `total != 1234` failed
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *adder(void *arg)
{
    pthread_mutex_lock(&lock);
    total += *(int *)arg;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    int parts[2] = {argc > 1 ? atoi(argv[1]) : 0, argc > 2 ? atoi(argv[2]) : 0};
    if (parts[0] < 0 || parts[0] > 1000 || parts[1] < 0 || parts[1] > 1000)
        return 2;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, adder, &parts[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
#ifdef FIXED
    assert(total <= 2000);
#else
    assert(total != 1234);
#endif
    return 0;
}
