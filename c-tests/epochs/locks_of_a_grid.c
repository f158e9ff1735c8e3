// A grid of cells, of which those at the borders of the threads' bands have locks that are used. All 64 locks are free when an epoch begins, and
// for each cell it is known whether it is at a border, though its number is a sum of which the terms say no bounds: what a table
// holds is known of all its elements, not only of the first, also in memory from the heap.
//
// Usage: locks_of_a_grid ROUNDS
//
// run: enumerate -- @
// expect: epochs=2 deadlocked=0 complete=true max_live_threads=3
// exec: 3
// stdout: 48 of 64 cells, 3 rounds, 144
// exec: 0
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE 8
#define CELLS (SIDE * SIDE)
#define THREADS 2

static pthread_mutex_t *cell_lock;
static char is_border[CELLS];
static long sum[CELLS];
static int rounds;

static int cell_number(int column, int row)
{
    return column * SIDE + row;
}

static void add(int number)
{
    if (is_border[number])
        pthread_mutex_lock(&cell_lock[number]);
    sum[number]++;
    if (is_border[number])
        pthread_mutex_unlock(&cell_lock[number]);
}

static void *work(void *arg)
{
    int first = arg ? 3 : 0, end = arg ? SIDE : SIDE - 3;
    for (int round = 0; round < rounds; round++)
        for (int column = first; column < end; column++)
            for (int row = 0; row < SIDE; row++)
                add(cell_number(column, row));
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    rounds = argc > 1 ? atoi(argv[1]) : 0;
    if (rounds < 1)
        return 2;
    int borders = 0;
    cell_lock = malloc(CELLS * sizeof *cell_lock);
    if (!cell_lock)
        return 1;
    for (int row = 0; row < SIDE; row++)
        for (int column = 3; column < SIDE - 3; column++)
            is_border[cell_number(column, row)] = 1;
    for (int i = 0; i < CELLS; i++) {
        pthread_mutex_init(&cell_lock[i], NULL);
        borders += !is_border[i];
    }
    for (long i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)i) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    long total = 0;
    for (int i = 0; i < CELLS; i++)
        if (!is_border[i])
            total += sum[i];
    printf("%d of %d cells, %d rounds, %ld\n", borders, CELLS, rounds, total);
    return 0;
}
