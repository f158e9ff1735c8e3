// The parallel structure of SPLASH-2's lu with blocks in memory of their own: numbers are taken from a counter under a lock,
// and all threads, the main thread among them, go through the outer loop in lockstep: factorise the diagonal block, barrier,
// divide the perimeter, barrier, update the interior. A block belongs to one thread.
//
// Usage: lu [-n SIZE] [-b BLOCK] [-p THREADS] [-t]; -t multiplies the factors and compares with the matrix.
// run: enumerate --without epochs -- -n 12 -b 3 -p 4
// expect: epochs=1 schedules=1 complete=true deadlocked=0 max_live_threads=4
// constraint: true
// exec: -n 12 -b 3 -p 4 -t
// stdout: 12 x 12, blocks of 3, 4 threads
// stdout: product of the diagonal: 4.959e+12
// stdout: factors are right
// exec: -n 10 -b 4 -p 2 -t
// exec: -p 3 -t
// exec: -p 0
// exit: 2
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_THREADS 64

struct global {
    int id;
    double *diagonals;
    pthread_barrier_t start;
    pthread_mutex_t idlock;
};

static struct global *global;
static int n = 16, block_size = 4, processors = 1, test_result;
static int rows, columns, block_count;
static double **block;
static pthread_t threads[MAX_THREADS];

static void *shared_memory(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory) {
        fprintf(stderr, "lu: out of memory\n");
        exit(1);
    }
    return memory;
}

static int owner(int row, int column)
{
    return (column % columns) + (row % rows) * columns;
}

static int height(int index)
{
    return (index + 1) * block_size < n ? block_size : n - index * block_size;
}

static void add_multiple(double *to, const double *from, int count, double factor)
{
    for (int i = 0; i < count; i++)
        to[i] += factor * from[i];
}

// Blocks are stored by columns. Factorises a block in place.
static void factorise(double *a, int size)
{
    for (int k = 0; k < size; k++)
        for (int j = k + 1; j < size; j++) {
            a[k + j * size] /= a[k + k * size];
            add_multiple(&a[k + 1 + j * size], &a[k + 1 + k * size], size - k - 1, -a[k + j * size]);
        }
}

// Below the diagonal block: solves with its upper part.
static void divide_below(double *a, const double *diagonal, int high, int size)
{
    for (int k = 0; k < size; k++)
        for (int j = k + 1; j < size; j++)
            add_multiple(&a[j * high], &a[k * high], high, -diagonal[k + j * size]);
}

// Right of the diagonal block: solves with its lower part.
static void divide_right(double *a, const double *diagonal, int size, int wide)
{
    for (int j = 0; j < wide; j++)
        for (int k = 0; k < size; k++) {
            a[k + j * size] /= diagonal[k + k * size];
            add_multiple(&a[k + 1 + j * size], &diagonal[k + 1 + k * size], size - k - 1, -a[k + j * size]);
        }
}

static void update(double *a, const double *left, const double *above, int high, int size, int wide)
{
    for (int j = 0; j < wide; j++)
        for (int k = 0; k < size; k++)
            add_multiple(&a[j * high], &left[k * high], high, -above[k + j * size]);
}

static void lu(int me)
{
    for (int k = 0, K = 0; k < n; k += block_size, K++) {
        int size = height(K);
        double *diagonal = block[K + K * block_count];
        if (owner(K, K) == me) {
            factorise(diagonal, size);
            for (int i = 0; i < size; i++)
                global->diagonals[k + i] = diagonal[i + i * size];
        }
        pthread_barrier_wait(&global->start); //~ diagonal

        for (int I = K + 1; I < block_count; I++)
            if (owner(I, K) == me)
                divide_below(block[I + K * block_count], diagonal, height(I), size);
        for (int J = K + 1; J < block_count; J++)
            if (owner(K, J) == me)
                divide_right(block[K + J * block_count], diagonal, size, height(J));
        pthread_barrier_wait(&global->start); //~ perimeter

        for (int I = K + 1; I < block_count; I++) {
            double *left = block[I + K * block_count];
            for (int J = K + 1; J < block_count; J++)
                if (owner(I, J) == me) {
                    double *above = block[K + J * block_count];
                    update(block[I + J * block_count], left, above, height(I), size, height(J));
                }
        }
    }
}

static void solve(int me)
{
    pthread_barrier_wait(&global->start);
    // Each thread touches its own blocks first, so that they are near it.
    for (int J = 0; J < block_count; J++)
        for (int I = 0; I < block_count; I++)
            if (owner(I, J) == me)
                for (int e = 0; e < height(I) * height(J); e++)
                    block[I + J * block_count][e] += 0.0;
    pthread_barrier_wait(&global->start);
    lu(me);
    pthread_barrier_wait(&global->start);
}

static void *slave(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&global->idlock);
    int me = global->id;
    global->id++;
    pthread_mutex_unlock(&global->idlock);
    solve(me);
    return NULL;
}

static double element(int i, int j)
{
    return (i * 7 + j * 3) % 11 + (i == j ? 10.0 : 0.5);
}

static double *place(int i, int j)
{
    int I = i / block_size, J = j / block_size;
    return &block[I + J * block_count][i % block_size + (j % block_size) * height(I)];
}

static void make_matrix(void)
{
    block_count = (n + block_size - 1) / block_size;
    block = shared_memory(block_count * block_count * sizeof *block);
    for (int J = 0; J < block_count; J++)
        for (int I = 0; I < block_count; I++)
            block[I + J * block_count] = shared_memory(height(I) * height(J) * sizeof(double));
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            *place(i, j) = element(i, j);
}

// The lower factor has the diagonal, the upper one has ones there.
static int is_right(void)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k <= i && k <= j; k++)
                sum += *place(i, k) * (k == j ? 1.0 : *place(k, j));
            if (fabs(sum - element(i, j)) > 1e-6)
                return 0;
        }
    return 1;
}

static int options(int argc, char **argv)
{
    int c;
    while ((c = getopt(argc, argv, "n:b:p:t")) != -1)
        switch (c) {
        case 'n': n = atoi(optarg); break;
        case 'b': block_size = atoi(optarg); break;
        case 'p': processors = atoi(optarg); break;
        case 't': test_result = 1; break;
        default: return 0;
        }
    return n > 0 && block_size > 0 && processors > 0 && processors <= MAX_THREADS;
}

int main(int argc, char **argv)
{
    if (!options(argc, argv)) {
        fprintf(stderr, "usage: lu [-n SIZE] [-b BLOCK] [-p THREADS] [-t]\n");
        return 2;
    }
    columns = (int)sqrt((double)processors);
    while (processors % columns != 0)
        columns--;
    rows = processors / columns;
    global = shared_memory(sizeof *global);
    global->diagonals = shared_memory(n * sizeof(double));
    global->id = 0;
    pthread_barrier_init(&global->start, NULL, processors);
    pthread_mutex_init(&global->idlock, NULL);
    make_matrix();
    printf("%d x %d, blocks of %d, %d threads\n", n, n, block_size, processors);
    for (int i = 1; i < processors; i++)
        if (pthread_create(&threads[i], NULL, slave, NULL) != 0) {
            fprintf(stderr, "lu: cannot start a thread\n");
            return 1;
        }
    slave(NULL);
    for (int i = 1; i < processors; i++)
        pthread_join(threads[i], NULL);
    double product = 1;
    for (int i = 0; i < n; i++)
        product *= global->diagonals[i];
    printf("product of the diagonal: %.3e\n", product);
    if (test_result)
        puts(is_right() ? "factors are right" : "factors are wrong");
    return 0;
}
