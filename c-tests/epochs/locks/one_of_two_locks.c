// Threads that all take one of two locks, as the input says: for a model checker, all orders of the threads are to be looked at.
//
// By hand: 1 epoch with 2 schedules for any number of threads, no deadlock; no loop has to be a marker, since each creates or joins
// as many threads as a constant says.
// variants: -DTHREADS=2, -DTHREADS=16
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// exec: 1
// exec: 0
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static long taken[2];
static int which;

static void *take(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&locks[which]);
    taken[which]++;
    pthread_mutex_unlock(&locks[which]);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    which = argc > 1 && atoi(argv[1]) != 0;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&t[i], NULL, take, NULL) != 0)
            abort();
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return taken[which] == THREADS ? 0 : 1;
}
