// A grid of cells, of which those at the borders of the threads' bands have locks that are used. All 64 locks are free when an epoch begins, and
// for each cell it is known whether it is at a border, though its number is a sum of which the terms say no bounds: what a table
// holds is known of all its elements, not only of the first, also in memory from the heap. Or the table has as many
// places as an input says. Nobody knows then where it ends, but what it holds from its beginning on is known for all cells.
//
// Usage: locks_of_a_grid ROUNDS PLACES
//
// variants: -DANY_LENGTH=0, -DANY_LENGTH=1
// run: enumerate -- @ @
// expect: epochs=2 deadlocked=0 complete=true max_live_threads=3
// exec: 3 64
// stdout: 48 of 64 cells, 3 rounds, 144
// exec: 1 63
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE 8
#define CELLS (SIDE * SIDE)
#define THREADS 2

#if ANY_LENGTH
static pthread_mutex_t cell_lock[CELLS];
static char *is_border;
#else
static pthread_mutex_t *cell_lock;
static char is_border[CELLS];
#endif
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

static int allocate(int places)
{
#if ANY_LENGTH
    is_border = calloc(places, 1);
    return is_border != NULL;
#else
    (void)places;
    cell_lock = malloc(CELLS * sizeof *cell_lock);
    return cell_lock != NULL;
#endif
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    if (argc != 3)
        return 2;
    rounds = atoi(argv[1]);
    int places = atoi(argv[2]), others = 0;
    if (rounds < 1 || places < CELLS || places > 100000)
        return 2;
    if (!allocate(places))
        return 1;
    for (int row = 0; row < SIDE; row++)
        for (int column = 3; column < SIDE - 3; column++)
            is_border[cell_number(column, row)] = 1;
    for (int i = 0; i < CELLS; i++) {
        pthread_mutex_init(&cell_lock[i], NULL);
        others += !is_border[i];
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
    printf("%d of %d cells, %d rounds, %ld\n", others, CELLS, rounds, total);
    return 0;
}
