// Each thread takes one of two locks, as one bit of the input says: model checkers look at all orders for each way to choose.
//
// By hand: 1 epoch without a marker, no deadlock. Each way to choose is another order of events, so that there are 2 to the power
// of THREADS schedules, unless it is left open which lock a thread takes: then all critical sections are ordered, and one
// schedule is enough. That is so where there were more than 8 (--conservative-after).
// variants: -DTHREADS=5, -DTHREADS=16
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// exec: 5
// exec: 0
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static long taken[2];
static int bits;

static void *take(void *arg)
{
    int which = bits >> (int)(long)arg & 1;
    pthread_mutex_lock(&locks[which]);
    taken[which]++;
    pthread_mutex_unlock(&locks[which]);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    bits = argc > 1 ? atoi(argv[1]) : 0;
    for (long i = 0; i < THREADS; i++)
        if (pthread_create(&t[i], NULL, take, (void *)i) != 0)
            abort();
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return taken[0] + taken[1] == THREADS ? 0 : 1;
}
