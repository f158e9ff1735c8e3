// Threads put particles into cells that they compute from floating-point places. Only cells at a border have a lock that is taken, and
// given back, if a table says so: what a thread may hold behind that, no analysis of paths through functions can say, but what the locks
// hold can. Each of a thread's particles is a round.
//
// By hand, with a marker in front of the loop's condition: behind the entry, which has 1 schedule, each thread has particles left or not,
// and where both have, their cells are at borders or not. No thread ever waits for a lock that nobody gives back.
// run: enumerate -- @ @ @
// expect: epochs=2 complete=true deadlocked=0 max_live_threads=3
// exec: 3 0.3 bxb
// stdout: 6 particles, 3 in the fullest cell
// exec: 0 0.3 bbbb
// stdout: 0 particles, 0 in the fullest cell
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 64
#define MOST 1000

static pthread_mutex_t lock_of[CELLS];
static int particles_in[CELLS];
static char is_border[CELLS];
static double place[2][MOST];
static int each;

static int cell_at(double x)
{
    int cell = (int)(x * CELLS);
    return cell < 0 ? 0 : cell >= CELLS ? CELLS - 1 : cell;
}

static void lock_cell(int cell)
{
    if (is_border[cell])
        pthread_mutex_lock(&lock_of[cell]);
}

static void unlock_cell(int cell)
{
    if (is_border[cell])
        pthread_mutex_unlock(&lock_of[cell]);
}

static void *put(void *arg)
{
    const double *mine = arg;
    for (int i = 0; i < each; i++) { //~ loop
        int cell = cell_at(mine[i]);
        lock_cell(cell);
        particles_in[cell]++;
        unlock_cell(cell);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    pthread_t threads[2];
    each = atoi(argv[1]);
    if (each > MOST)
        return 2;
    for (int i = 0; i < CELLS; i++) {
        pthread_mutex_init(&lock_of[i], NULL);
        is_border[i] = argv[3][i % 3] == 'b';
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < each; j++)
            place[i][j] = atof(argv[2]) + i / 64.0 + j / 128.0;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, put, place[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    int all = 0, fullest = 0;
    for (int i = 0; i < CELLS; i++) {
        all += particles_in[i];
        if (particles_in[i] > fullest)
            fullest = particles_in[i];
    }
    printf("%d particles, %d in the fullest cell\n", all, fullest);
    return 0;
}
