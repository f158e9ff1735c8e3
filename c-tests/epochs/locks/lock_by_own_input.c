// Each thread takes one of two locks, as one bit of the input says.
//
// By hand: 1 epoch without a marker, no deadlock. Each way to give the threads one of two locks is another order of events,
// so that there are 2 to the power of THREADS schedules (4, 8, 16). Bergan knows no good way with such programs (3.2.3).
// variants: -DTHREADS=2, -DTHREADS=3, -DTHREADS=4
// exec: 5
// exec: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int bits, in_a, in_b;

static void *worker(void *arg)
{
    if (bits >> (int)(long)arg & 1) {
        pthread_mutex_lock(&a);
        in_a++;
        pthread_mutex_unlock(&a);
    } else {
        pthread_mutex_lock(&b);
        in_b++;
        pthread_mutex_unlock(&b);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    bits = argc > 1 ? atoi(argv[1]) : 0;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%d and %d\n", in_a, in_b);
    return 0;
}
