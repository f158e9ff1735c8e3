// The parallel structure of SPLASH-2's fft: a number taken from a counter under a lock, then a fixed number of barriers. The
// 2^M points are a square matrix; a transform is three transposes, with transforms of rows and a multiplication by powers of
// the root between them, and each thread has its own rows. -t transforms back, with as many barriers once more.
//
// Usage: fft [-m M] [-p P] [-t] [-o]; M is even, P a power of two that is at most 2^(M/2). -o prints the points.
// exec: -m 4 -p 2 -t
// stdout: 16 points, 2 threads
// stdout: checksum: 17.075515
// stdout: the way back is right
// exec: -m 4 -p 4 -o
// exec: -m 6 -p 4 -t
// exec: -p 1
// exec: -m 5
// stderr: M must be even
// exit: 1
// exec: -m 2 -p 4
// stderr: too many threads
// exit: 1
// exec: -p 3
// exit: 1
// exec: -x
// exit: 2
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_THREADS 64
#define PI 3.14159265358979323846

struct complex {
    double re, im;
};

struct global {
    int id;
    pthread_mutex_t idlock;
    pthread_barrier_t start;
};

static struct global *global;
static struct complex *x, *scratch; // the points, and as many for transposes
static struct complex *roots;       // of one row
static struct complex *twiddles;    // one for each point
static int m = 6, processors = 1, test_result, do_print;
static int points, side, rows_per_processor;
static pthread_t threads[MAX_THREADS];

static void *shared_memory(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory) {
        fprintf(stderr, "fft: out of memory\n");
        exit(1);
    }
    return memory;
}

static int log_2(int number)
{
    int power = 1, log = 0;
    while (power < number && log < 30) {
        power *= 2;
        log++;
    }
    return power == number ? log : -1;
}

static struct complex times(struct complex a, struct complex b)
{
    return (struct complex){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

static struct complex root_of_one(int k, int n)
{
    return (struct complex){ cos(2.0 * PI * k / n), -sin(2.0 * PI * k / n) };
}

static void first_values(void)
{
    for (int i = 0; i < points; i++) {
        x[i].re = (i * 37 % 19) / 19.0;
        x[i].im = (i * 11 % 23) / 23.0;
    }
}

static void make_roots(void)
{
    for (int k = 0; k < side; k++)
        roots[k] = root_of_one(k, side);
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++)
            twiddles[i * side + j] = root_of_one(i * j, points);
}

static double checksum(void)
{
    double sum = 0.0;
    for (int i = 0; i < points; i++)
        sum += x[i].re + x[i].im;
    return sum;
}

// Each thread writes its own rows. It begins with the columns of its own rows, so that no two threads read the same ones.
static void transpose(const struct complex *from, struct complex *to, int me)
{
    int first = me * rows_per_processor, end = first + rows_per_processor;
    for (int p = 0; p < processors; p++) {
        int other = (me + p) % processors * rows_per_processor;
        for (int i = first; i < end; i++)
            for (int j = other; j < other + rows_per_processor; j++)
                to[i * side + j] = from[j * side + i];
    }
}

static void reverse_bits(struct complex *row)
{
    for (int i = 0, j = 0; i < side; i++) {
        if (j > i) {
            struct complex swapped = row[i];
            row[i] = row[j];
            row[j] = swapped;
        }
        int bit = side >> 1;
        while (bit >= 1 && (j & bit)) {
            j ^= bit;
            bit >>= 1;
        }
        j |= bit;
    }
}

// A row in place: butterflies of growing length.
static void transform_row(struct complex *row, int direction)
{
    reverse_bits(row);
    for (int length = 2; length <= side; length *= 2) {
        int half = length / 2, stride = side / length;
        for (int start = 0; start < side; start += length)
            for (int k = 0; k < half; k++) {
                struct complex root = roots[k * stride];
                root.im *= direction;
                struct complex odd = times(root, row[start + k + half]), even = row[start + k];
                row[start + k] = (struct complex){ even.re + odd.re, even.im + odd.im };
                row[start + k + half] = (struct complex){ even.re - odd.re, even.im - odd.im };
            }
    }
}

static void twiddle_row(struct complex *row, int number, int direction)
{
    for (int j = 0; j < side; j++) {
        struct complex factor = twiddles[number * side + j];
        factor.im *= direction;
        row[j] = times(row[j], factor);
    }
}

static void scale_row(struct complex *row)
{
    for (int j = 0; j < side; j++) {
        row[j].re /= points;
        row[j].im /= points;
    }
}

// All points; the direction is 1, or -1 for back.
static void transform(int direction, int me)
{
    int first = me * rows_per_processor, end = first + rows_per_processor;
    pthread_barrier_wait(&global->start);
    transpose(x, scratch, me);
    for (int i = first; i < end; i++) {
        transform_row(&scratch[i * side], direction);
        twiddle_row(&scratch[i * side], i, direction);
    }
    pthread_barrier_wait(&global->start);
    transpose(scratch, x, me);
    for (int i = first; i < end; i++) {
        transform_row(&x[i * side], direction);
        if (direction == -1)
            scale_row(&x[i * side]);
    }
    pthread_barrier_wait(&global->start);
    transpose(x, scratch, me);
    pthread_barrier_wait(&global->start);
    for (int i = first; i < end; i++)
        for (int j = 0; j < side; j++)
            x[i * side + j] = scratch[i * side + j];
    pthread_barrier_wait(&global->start);
}

static void *slave(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&global->idlock);
    int me = global->id;
    global->id++;
    pthread_mutex_unlock(&global->idlock);
    // Each thread touches its own rows first, so that they are near it.
    pthread_barrier_wait(&global->start);
    for (int i = me * rows_per_processor * side; i < (me + 1) * rows_per_processor * side; i++)
        scratch[i].re = scratch[i].im = 0.0;
    pthread_barrier_wait(&global->start);
    transform(1, me);
    if (test_result)
        transform(-1, me);
    return NULL;
}

static int options(int argc, char **argv)
{
    int c;
    while ((c = getopt(argc, argv, "m:p:to")) != -1)
        switch (c) {
        case 'm': m = atoi(optarg); break;
        case 'p': processors = atoi(optarg); break;
        case 't': test_result = 1; break;
        case 'o': do_print = 1; break;
        default: return 0;
        }
    return 1;
}

static void fail(const char *what)
{
    fprintf(stderr, "fft: %s\n", what);
    exit(1);
}

int main(int argc, char **argv)
{
    if (!options(argc, argv)) {
        fprintf(stderr, "usage: fft [-m M] [-p P] [-t] [-o]\n");
        return 2;
    }
    if (m < 2 || m > 24 || m % 2 != 0)
        fail("M must be even and between 2 and 24");
    if (processors < 1 || processors > MAX_THREADS || log_2(processors) == -1)
        fail("P must be a power of two");
    points = 1 << m;
    side = 1 << m / 2;
    rows_per_processor = side / processors;
    if (rows_per_processor == 0)
        fail("there are too many threads for so few points");
    printf("%d points, %d threads\n", points, processors);
    global = shared_memory(sizeof *global);
    x = shared_memory(points * sizeof *x);
    scratch = shared_memory(points * sizeof *scratch);
    roots = shared_memory(side * sizeof *roots);
    twiddles = shared_memory(points * sizeof *twiddles);
    global->id = 0;
    pthread_mutex_init(&global->idlock, NULL);
    pthread_barrier_init(&global->start, NULL, processors);
    first_values();
    make_roots();
    double before = checksum();
    for (int i = 1; i < processors; i++)
        if (pthread_create(&threads[i], NULL, slave, NULL) != 0)
            fail("cannot start a thread");
    slave(NULL);
    for (int i = 1; i < processors; i++)
        pthread_join(threads[i], NULL);
    double after = checksum();
    printf("checksum: %.6f\n", after);
    if (test_result)
        puts(fabs(after - before) < 1e-6 ? "the way back is right" : "the way back is wrong");
    if (do_print)
        for (int i = 0; i < points; i++)
            printf("%.4f %+.4fi\n", x[i].re + 0.0, x[i].im);
    return 0;
}
