// The parallel structure of SPLASH-2's ocean: in each time step an equation is solved by relaxation until the error, a
// floating-point number, is small: `do { red points; barrier; black points; barrier; error } while (error > tolerance)`.
// The error of all threads is brought together under a lock. Each thread has a band of rows.
//
// Usage: ocean [-n SIZE] [-p THREADS] [-e TOLERANCE] [-s STEPS]
// Whether all go round again, one comparison of floating-point numbers says.
// run: enumerate -- -n 6 -p 4 -e @ -s @
// expect: epochs=2 schedules=4 complete=true deadlocked=0
// exec: -n 6 -p 2 -e 0.01 -s 1
// stdout: 6 x 6, 2 threads, tolerance 0.01
// stdout: step 0: 14 sweeps, sum -30.4281
// stdout: largest: 1.65718
// exec: -n 8 -p 4 -e 0.005 -s 2
// exec: -n 5 -p 1 -e 0.1
// exec: -n 2 -p 4
// stderr: more threads than rows
// exit: 1
// exec: -e 0
// exit: 2
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_THREADS 64
#define MAX_SWEEPS 10000

struct global {
    int id;
    pthread_mutex_t idlock, error_lock, sum_lock;
    pthread_barrier_t barrier;
    double error;
    long sum; // of rounded numbers, so that their order does not matter
};

static struct global *global;
static double **stream, **vorticity; // with a border of points that are given
static int n = 8, processors = 1, steps = 1;
static double tolerance = 0.001;

static void fail(const char *what)
{
    fprintf(stderr, "ocean: %s\n", what);
    exit(1);
}

static void *memory(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (!p)
        fail("out of memory");
    return p;
}

static double **grid(void)
{
    double **rows = memory(n + 2, sizeof *rows);
    for (int i = 0; i < n + 2; i++)
        rows[i] = memory(n + 2, sizeof **rows);
    return rows;
}

static void first_values(int first, int end)
{
    for (int i = first; i < end; i++)
        for (int j = 1; j <= n; j++) {
            stream[i][j] = 0.0;
            vorticity[i][j] = sin(3.0 * i / (n + 1)) * cos(2.0 * j / (n + 1));
        }
}

// The points of one color, by the average of their neighbours beyond the right side. The largest change.
static double relax(int first, int end, int color, double factor)
{
    double largest = 0.0;
    for (int i = first; i < end; i++)
        for (int j = 1 + (i + color) % 2; j <= n; j += 2) {
            double around = stream[i - 1][j] + stream[i + 1][j] + stream[i][j - 1] + stream[i][j + 1];
            double change = 0.25 * (around - vorticity[i][j]) - stream[i][j];
            stream[i][j] += factor * change;
            if (fabs(change) > largest)
                largest = fabs(change);
        }
    return largest;
}

// What all threads have left of the error since somebody set it to zero.
static void contribute(double mine)
{
    pthread_mutex_lock(&global->error_lock);
    if (mine > global->error)
        global->error = mine;
    pthread_mutex_unlock(&global->error_lock);
}

// Returns the number of sweeps, the same in all threads.
static int solve(int me, int first, int end)
{
    int sweeps = 0;
    double error;
    do {
        if (me == 0)
            global->error = 0.0;
        double red = relax(first, end, 0, 1.15);
        pthread_barrier_wait(&global->barrier);
        double black = relax(first, end, 1, 1.15);
        contribute(red > black ? red : black);
        pthread_barrier_wait(&global->barrier);
        error = global->error;
        sweeps++;
        pthread_barrier_wait(&global->barrier);
    } while (error > tolerance && sweeps < MAX_SWEEPS);
    return sweeps;
}

// The right side of the next step: what flows through each point.
static void advect(int first, int end, double **next)
{
    for (int i = first; i < end; i++)
        for (int j = 1; j <= n; j++) {
            double u = 0.5 * (stream[i][j + 1] - stream[i][j - 1]);
            double v = 0.5 * (stream[i - 1][j] - stream[i + 1][j]);
            double along = 0.5 * (vorticity[i + 1][j] - vorticity[i - 1][j]);
            double across = 0.5 * (vorticity[i][j + 1] - vorticity[i][j - 1]);
            next[i][j] = vorticity[i][j] - 0.1 * (u * along + v * across);
        }
}

static void step(int me, int number, double **next)
{
    int first = 1 + n * me / processors, end = 1 + n * (me + 1) / processors;
    int sweeps = solve(me, first, end);
    long mine = 0;
    for (int i = first; i < end; i++)
        for (int j = 1; j <= n; j++)
            mine += lround(1e6 * stream[i][j]);
    pthread_mutex_lock(&global->sum_lock);
    global->sum += mine;
    pthread_mutex_unlock(&global->sum_lock);
    pthread_barrier_wait(&global->barrier);
    if (me == 0) {
        printf("step %d: %d sweeps, sum %.4f\n", number, sweeps, global->sum * 1e-6);
        global->sum = 0;
    }
    advect(first, end, next);
    pthread_barrier_wait(&global->barrier);
    for (int i = first; i < end; i++)
        for (int j = 1; j <= n; j++)
            vorticity[i][j] = next[i][j];
    pthread_barrier_wait(&global->barrier);
}

static double **next_vorticity;

static void *slave(void *unused)
{
    pthread_mutex_lock(&global->idlock);
    int me = global->id;
    global->id++;
    pthread_mutex_unlock(&global->idlock);
    first_values(1 + n * me / processors, 1 + n * (me + 1) / processors);
    pthread_barrier_wait(&global->barrier);
    for (int s = 0; s < steps; s++)
        step(me, s, next_vorticity);
    return unused;
}

static int options(int argc, char **argv)
{
    int c;
    while ((c = getopt(argc, argv, "n:p:e:s:")) != -1)
        switch (c) {
        case 'n': n = atoi(optarg); break;
        case 'p': processors = atoi(optarg); break;
        case 'e': tolerance = atof(optarg); break;
        case 's': steps = atoi(optarg); break;
        default: return 0;
        }
    return n > 0 && processors > 0 && processors <= MAX_THREADS && tolerance > 0 && steps > 0;
}

int main(int argc, char **argv)
{
    pthread_t threads[MAX_THREADS];
    if (!options(argc, argv)) {
        fprintf(stderr, "usage: ocean [-n SIZE] [-p THREADS] [-e TOLERANCE] [-s STEPS]\n");
        return 2;
    }
    if (processors > n)
        fail("there are more threads than rows");
    printf("%d x %d, %d threads, tolerance %g\n", n, n, processors, tolerance);
    global = memory(1, sizeof *global);
    stream = grid();
    vorticity = grid();
    next_vorticity = grid();
    pthread_mutex_init(&global->idlock, NULL);
    pthread_mutex_init(&global->error_lock, NULL);
    pthread_mutex_init(&global->sum_lock, NULL);
    pthread_barrier_init(&global->barrier, NULL, processors);
    for (int i = 1; i < processors; i++)
        if (pthread_create(&threads[i], NULL, slave, NULL) != 0)
            fail("cannot start a thread");
    slave(NULL);
    for (int i = 1; i < processors; i++)
        pthread_join(threads[i], NULL);
    double largest = 0.0;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++)
            if (fabs(stream[i][j]) > largest)
                largest = fabs(stream[i][j]);
    printf("largest: %.5f\n", largest);
    return 0;
}
