// Threads relax a row of numbers until the largest change, a floating-point number, is small. Barriers divide each turn.
//
// By hand, with the loop's first barrier as its marker: 2 epochs with 3 schedules for any number of threads, no deadlock. The
// entry has 1 schedule, up to the first barrier. From there, all threads come back or all of them end: 2 schedules, decided
// by the comparison of floating-point numbers. Who does not see that all threads compare the same numbers finds 2 to the
// power of THREADS, and deadlocks at the barrier. Three threads have rows of different lengths.
// variants: -DTHREADS=2, -DTHREADS=3, -DTHREADS=4
// exec: 0.01
// exec: 100
// exec: 0
// exit: 2
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE 8

static pthread_barrier_t barrier;
static double value[SIZE + 2], old[SIZE + 2], change[THREADS], largest, tolerance;
static int turns;

static void *worker(void *arg)
{
    int me = (int)(long)arg, first = 1 + SIZE * me / THREADS, end = 1 + SIZE * (me + 1) / THREADS;
    do {
        change[me] = 0;
        for (int i = first; i < end; i++)
            old[i] = value[i];
        pthread_barrier_wait(&barrier); //~ marker
        for (int i = first; i < end; i++) {
            value[i] = 0.5 * (old[i - 1] + old[i + 1]);
            if (fabs(value[i] - old[i]) > change[me])
                change[me] = fabs(value[i] - old[i]);
        }
        pthread_barrier_wait(&barrier);
        if (me == 0) {
            largest = 0;
            for (int t = 0; t < THREADS; t++)
                if (change[t] > largest)
                    largest = change[t];
            turns++;
        }
        pthread_barrier_wait(&barrier);
    } while (largest > tolerance);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    tolerance = argc > 1 ? atof(argv[1]) : 0;
    if (tolerance <= 0)
        return 2;
    old[SIZE + 1] = value[SIZE + 1] = 1.0;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%d turns, in the middle %.4f\n", turns, value[SIZE / 2]);
    return 0;
}
