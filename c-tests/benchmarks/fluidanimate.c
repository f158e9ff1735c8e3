// The parallel structure of PARSEC's fluidanimate: a fluid of particles in a grid of cells. Each thread has a band of
// columns; the phases of a frame are divided by barriers. Two particles that are near each other change each other, so that a
// cell at the border of a band has a lock, which is found by the cell's computed number.
//
// What particles get from others is summed up in whole numbers, so that results do not depend on the order.
//
// Usage: fluidanimate THREADS FRAMES [FILE]. The input (or standard input) is the number of particles, then one per line:
// place and velocity, x y vx vy, all within a box of 1 by 1.
// exec: 2 3
// stdin: 6
// stdin: 0.10 0.50 0.0 0.0
// stdin: 0.14 0.52 0.0 0.1
// stdin: 0.48 0.30 0.2 0.0
// stdin: 0.52 0.30 -0.2 0.0
// stdin: 0.76 0.70 0.0 0.0
// stdin: 0.74 0.74 0.1 -0.1
// stdout: 6 particles, 3 frames, 2 threads
// stdout: 0: at 0.099635 0.494230, velocity -0.001602 -0.028889
// stdout: 1: at 0.140365 0.543770, velocity 0.001602 0.068889
// stdout: 2: at 0.536867 0.294000, velocity 0.185498 -0.030000
// stdout: 3: at 0.463133 0.294000, velocity -0.185498 -0.030000
// stdout: 4: at 0.760733 0.692788, velocity 0.003601 -0.036745
// stdout: 5: at 0.769267 0.705212, velocity 0.096399 -0.123255
// exec: 4 2
// stdin: 5
// stdin: 0.24 0.50 0.1 0.0
// stdin: 0.26 0.52 0.0 0.1
// stdin: 0.49 0.97 0.3 0.4
// stdin: 0.51 0.96 -0.1 0.4
// stdin: 0.75 0.01 0.0 -0.3
// exec: 3 1
// stdin: 2
// stdin: 0.2 0.4 0.1
// exit: 1
// exec: 2 1 nosuchfile
// exit: 1
// exec: 9 1
// exit: 2
// exec: 2
// exit: 2
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_THREADS 8
#define SIDE 8 // cells in a row
#define CELLS (SIDE * SIDE)
#define PER_CELL 16
#define UNIT 1e9
#define REACH (1.0 / SIDE)

struct particle {
    int id;
    double x, y, vx, vy;
};

struct cell {
    int count;
    struct particle particle[PER_CELL];
    long density[PER_CELL], pushed_x[PER_CELL], pushed_y[PER_CELL];
};

static struct cell grids[2][CELLS];
static struct cell *cells = grids[0], *old = grids[1];
static pthread_mutex_t cell_lock[CELLS];
static char is_border[CELLS];
static pthread_barrier_t barrier;
static int thread_count, frames, particle_count;
static struct { int id, first, end; } band[MAX_THREADS];

static void fail(const char *what)
{
    fprintf(stderr, "fluidanimate: %s\n", what);
    exit(1);
}

static int column_of(double x)
{
    int column = (int)(x * SIDE);
    return column < 0 ? 0 : column >= SIDE ? SIDE - 1 : column;
}

static int cell_number(int column, int row)
{
    return column * SIDE + row;
}

static void put(struct cell *c, const struct particle *p)
{
    if (c->count == PER_CELL)
        fail("there are too many particles in a cell");
    c->particle[c->count++] = *p;
}

// Cells with neighbours in the band of another thread.
static void find_borders(void)
{
    for (int t = 0; t < thread_count; t++)
        for (int row = 0; row < SIDE; row++) {
            if (band[t].first > 0)
                is_border[cell_number(band[t].first, row)] = 1;
            if (band[t].end < SIDE)
                is_border[cell_number(band[t].end - 1, row)] = 1;
        }
}

static void lock_cell(int number)
{
    if (is_border[number])
        pthread_mutex_lock(&cell_lock[number]);
}

static void unlock_cell(int number)
{
    if (is_border[number])
        pthread_mutex_unlock(&cell_lock[number]);
}

static void swap_grids(void)
{
    struct cell *swapped = cells;
    cells = old;
    old = swapped;
}

static void clear(int first, int end)
{
    for (int column = first; column < end; column++)
        for (int row = 0; row < SIDE; row++)
            cells[cell_number(column, row)].count = 0;
}

// Particles go into the cells where they are now, which can be those of another thread.
static void rebuild(int first, int end)
{
    for (int column = first; column < end; column++)
        for (int row = 0; row < SIDE; row++) {
            const struct cell *from = &old[cell_number(column, row)];
            for (int i = 0; i < from->count; i++) {
                int number = cell_number(column_of(from->particle[i].x), column_of(from->particle[i].y));
                pthread_mutex_lock(&cell_lock[number]);
                put(&cells[number], &from->particle[i]);
                pthread_mutex_unlock(&cell_lock[number]);
            }
        }
}

// The order in which threads have put particles into a cell must not matter.
static void sort_and_reset(struct cell *c)
{
    for (int i = 1; i < c->count; i++)
        for (int j = i; j > 0 && c->particle[j - 1].id > c->particle[j].id; j--) {
            struct particle swapped = c->particle[j];
            c->particle[j] = c->particle[j - 1];
            c->particle[j - 1] = swapped;
        }
    for (int i = 0; i < c->count; i++)
        c->density[i] = c->pushed_x[i] = c->pushed_y[i] = 0;
}

static void prepare(int first, int end)
{
    for (int column = first; column < end; column++)
        for (int row = 0; row < SIDE; row++)
            sort_and_reset(&cells[cell_number(column, row)]);
}

typedef void effect(struct cell *a, int i, struct cell *b, int j, int number_a, int number_b);

static double square_distance(const struct particle *p, const struct particle *q)
{
    return (p->x - q->x) * (p->x - q->x) + (p->y - q->y) * (p->y - q->y);
}

static void add_density(struct cell *a, int i, struct cell *b, int j, int number_a, int number_b)
{
    double near = REACH * REACH - square_distance(&a->particle[i], &b->particle[j]);
    if (near <= 0)
        return;
    long amount = lround(UNIT * near * near * near / pow(REACH, 6));
    lock_cell(number_a);
    a->density[i] += amount;
    unlock_cell(number_a);
    lock_cell(number_b);
    b->density[j] += amount;
    unlock_cell(number_b);
}

static void add_push(struct cell *a, int i, struct cell *b, int j, int number_a, int number_b)
{
    const struct particle *p = &a->particle[i], *q = &b->particle[j];
    double square = square_distance(p, q);
    if (square >= REACH * REACH)
        return;
    double length = sqrt(square > 1e-12 ? square : 1e-12), near = REACH - length;
    double pressure = near * near / length * (a->density[i] + b->density[j]) / UNIT;
    long x = lround(UNIT * ((p->x - q->x) * pressure + (q->vx - p->vx) * near));
    long y = lround(UNIT * ((p->y - q->y) * pressure + (q->vy - p->vy) * near));
    lock_cell(number_a);
    a->pushed_x[i] += x;
    a->pushed_y[i] += y;
    unlock_cell(number_a);
    lock_cell(number_b);
    b->pushed_x[j] -= x;
    b->pushed_y[j] -= y;
    unlock_cell(number_b);
}

// Every pair once: within the cell, and with four of its neighbours.
static void for_each_pair(int column, int row, effect *apply)
{
    static const int step[5][2] = { { 0, 0 }, { 0, 1 }, { 1, -1 }, { 1, 0 }, { 1, 1 } };
    int here = cell_number(column, row);
    for (int s = 0; s < 5; s++) {
        int other_column = column + step[s][0], other_row = row + step[s][1];
        if (other_column >= SIDE || other_row < 0 || other_row >= SIDE)
            continue;
        int there = cell_number(other_column, other_row);
        for (int i = 0; i < cells[here].count; i++)
            for (int j = here == there ? i + 1 : 0; j < cells[there].count; j++)
                apply(&cells[here], i, &cells[there], j, here, there);
    }
}

static void interact(int first, int end, effect *apply)
{
    for (int column = first; column < end; column++)
        for (int row = 0; row < SIDE; row++)
            for_each_pair(column, row, apply);
}

static void bounce(double *place, double *velocity)
{
    if (*place < 0.0 || *place > 1.0) {
        *place = *place < 0.0 ? -*place : 2.0 - *place;
        *velocity = -0.5 * *velocity;
    }
}

static void move(int first, int end)
{
    for (int number = cell_number(first, 0); number < cell_number(end, 0); number++) {
        struct cell *c = &cells[number];
        for (int i = 0; i < c->count; i++) {
            struct particle *p = &c->particle[i];
            p->vx += 0.1 * c->pushed_x[i] / UNIT;
            p->vy += 0.1 * c->pushed_y[i] / UNIT - 0.01;
            p->x += 0.1 * p->vx;
            p->y += 0.1 * p->vy;
            bounce(&p->x, &p->vx);
            bounce(&p->y, &p->vy);
        }
    }
}

static void frame(int id)
{
    int first = band[id].first, end = band[id].end;
    pthread_barrier_wait(&barrier);
    if (id == 0)
        swap_grids();
    pthread_barrier_wait(&barrier);
    clear(first, end);
    pthread_barrier_wait(&barrier);
    rebuild(first, end);
    pthread_barrier_wait(&barrier);
    prepare(first, end);
    pthread_barrier_wait(&barrier);
    interact(first, end, add_density);
    pthread_barrier_wait(&barrier);
    interact(first, end, add_push);
    pthread_barrier_wait(&barrier);
    move(first, end);
    pthread_barrier_wait(&barrier);
}

static void *advance_frames(void *arg)
{
    int id = *(int *)arg;
    for (int i = 0; i < frames; i++)
        frame(id);
    return NULL;
}

static void read_particles(const char *name)
{
    FILE *file = name ? fopen(name, "r") : stdin;
    if (!file)
        fail("cannot open the input");
    if (fscanf(file, "%d", &particle_count) != 1 || particle_count < 0)
        fail("cannot read the number of particles");
    for (int i = 0; i < particle_count; i++) {
        struct particle p = { .id = i };
        if (fscanf(file, "%lf %lf %lf %lf", &p.x, &p.y, &p.vx, &p.vy) != 4)
            fail("cannot read a particle");
        put(&cells[cell_number(column_of(p.x), column_of(p.y))], &p);
    }
    if (file != stdin)
        fclose(file);
}

static void print_particles(void)
{
    for (int i = 0; i < particle_count; i++)
        for (int number = 0; number < CELLS; number++)
            for (int k = 0; k < cells[number].count; k++) {
                const struct particle *p = &cells[number].particle[k];
                if (p->id == i)
                    printf("%d: at %.6f %.6f, velocity %.6f %.6f\n", i, p->x, p->y, p->vx, p->vy);
            }
}

int main(int argc, char **argv)
{
    pthread_t threads[MAX_THREADS];
    if (argc >= 3) {
        thread_count = atoi(argv[1]);
        frames = atoi(argv[2]);
    }
    if (argc > 4 || thread_count < 1 || thread_count > MAX_THREADS || frames < 1) {
        fprintf(stderr, "usage: fluidanimate THREADS FRAMES [FILE]\n");
        return 2;
    }
    read_particles(argv[3]);
    printf("%d particles, %d frames, %d threads\n", particle_count, frames, thread_count);
    for (int i = 0; i < CELLS; i++)
        pthread_mutex_init(&cell_lock[i], NULL);
    pthread_barrier_init(&barrier, NULL, thread_count);
    for (int i = 0; i < thread_count; i++) {
        band[i].id = i;
        band[i].first = SIDE * i / thread_count;
        band[i].end = SIDE * (i + 1) / thread_count;
    }
    find_borders();
    for (int i = 0; i < thread_count; i++)
        if (pthread_create(&threads[i], NULL, advance_frames, &band[i].id) != 0)
            fail("cannot start a thread");
    for (int i = 0; i < thread_count; i++)
        pthread_join(threads[i], NULL);
    print_particles();
    return 0;
}
