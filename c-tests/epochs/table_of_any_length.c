// Which cells of a grid are at a border stands in a table with as many places as an input says. Nobody knows where it ends; what it holds from
// its beginning on is known for all cells of the grid.
//
// Usage: table_of_any_length ROUNDS PLACES
//
// run: enumerate -- @ @
// expect: epochs=2 deadlocked=0 complete=true max_live_threads=3
// exec: 3 64
// stdout: 144 in 48 cells
// exec: 1 63
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE 8
#define CELLS (SIDE * SIDE)
#define THREADS 2

static pthread_mutex_t cell_lock[CELLS];
static char *is_border;
static long sum[CELLS];
static int rounds;

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
                add(column * SIDE + row);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    if (argc != 3)
        return 2;
    rounds = atoi(argv[1]);
    int places = atoi(argv[2]);
    if (rounds < 1 || places < CELLS || places > 100000)
        return 2;
    is_border = calloc(places, 1);
    if (!is_border)
        return 1;
    for (int column = 3; column < SIDE - 3; column++)
        for (int row = 0; row < SIDE; row++)
            is_border[column * SIDE + row] = 1;
    for (int i = 0; i < CELLS; i++)
        pthread_mutex_init(&cell_lock[i], NULL);
    for (long i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)i) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    long total = 0;
    int cells = 0;
    for (int i = 0; i < CELLS; i++)
        if (!is_border[i]) {
            total += sum[i];
            cells++;
        }
    printf("%ld in %d cells\n", total, cells);
    return 0;
}
