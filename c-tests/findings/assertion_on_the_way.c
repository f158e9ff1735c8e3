// An assertion fails on the way: what the run has synchronised by then is the beginning of what another input does.
// ignore-native: only what is found is compared
// mended: -DFIXED
// run: check --only assert,abort -- @
// finding: confirmed assert: assertion `left >= 0` failed ... [11] near [10]
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t till = PTHREAD_MUTEX_INITIALIZER;
static int left = 10;

static void *pay(void *arg)
{
    int amount = atoi(arg);
    if (amount < 0 || amount > 1000)
        return NULL;
    pthread_mutex_lock(&till);
#ifdef FIXED
    if (amount > left)
        amount = left;
#endif
    left -= amount;
    assert(left >= 0);
    pthread_mutex_unlock(&till);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc < 2)
        return 2;
    pthread_create(&thread, NULL, pay, argv[1]);
    pthread_join(thread, NULL);
    return 0;
}
