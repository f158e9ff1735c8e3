// Two threads work on the rows of a square array whose side is a power of two: the input is its logarithm. Rows are padded to pages, by
// divisions of what the shift yields.
//
// By hand: the shift, the quotients and the products decide how large things are, and whether the program ends before there are threads; they
// decide nothing that is synchronised. 1 schedule from there on, and the exits before it are none of their own (prefix schedules).
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// exec: 4
// stdout: 16 numbers
// exec: 3
// exit: 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 2
#define PAGE 4096

static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double *numbers;
static long side, padding, next;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    long me = next++, rows = side / THREADS;
    pthread_mutex_unlock(&lock);
    for (long row = me * rows; row < (me + 1) * rows; row++)
        for (long i = 0; i < side; i++)
            numbers[row * (side + padding) + i] = row;
    pthread_barrier_wait(&barrier);
    for (long i = 0; i < side; i++)
        numbers[me * (side + padding) + i] += i;
    pthread_barrier_wait(&barrier);
    return arg;
}

int main(int argc, char **argv)
{
    int log = argc > 1 ? atoi(argv[1]) : 4;
    if (log < 2 || log > 20 || log % 2 != 0)
        return 1;
    side = 1 << log / 2;
    long of_thread = side / THREADS * side * sizeof(double);
    if (of_thread == 0)
        return 2;
    if (of_thread >= PAGE) {
        long row = side / THREADS * sizeof(double), pages = row / PAGE;
        if (pages * PAGE != row)
            pages++;
        padding = pages * PAGE / row;
    } else {
        padding = (PAGE - of_thread) / (side / THREADS * sizeof(double));
        if (padding * (side / THREADS * (long)sizeof(double)) != PAGE - of_thread)
            return 3;
    }
    numbers = calloc(side * (side + padding), sizeof(double));
    if (!numbers)
        return 4;
    pthread_barrier_init(&barrier, NULL, THREADS);
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    work(NULL);
    pthread_join(other, NULL);
    printf("%ld numbers\n", side * side);
    free(numbers);
    return 0;
}
