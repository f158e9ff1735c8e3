// Two threads meet with a lock each, and want that of the other: whatever the order, they wait for ever.
// ignore-native: only what is found is compared
// mended: -DFIXED
// run: check --only deadlock -- @
// finding: confirmed deadlock/lock-cycle: T1 waits for second, held by T2 since {right}; T2 waits for first, held by T1 since {left} [x] near [
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

static void *left(void *arg)
{
    pthread_mutex_lock(&first); //~ left
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&second);
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
    return arg;
}

static void *right(void *arg)
{
    int is_other = arg != NULL;
#ifdef FIXED
    is_other = 0;
#endif
    if (is_other)
        pthread_mutex_lock(&second); //~ right
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&first);
    pthread_mutex_unlock(&first);
    if (is_other)
        pthread_mutex_unlock(&second);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&threads[0], NULL, left, NULL);
    pthread_create(&threads[1], NULL, right, argc > 1 && argv[1][0] == 'x' ? argv[1] : NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
