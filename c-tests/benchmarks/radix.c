// The parallel structure of SPLASH-2's radix: keys are sorted digit by digit. For each digit, every thread counts its own
// keys, the counts are added up along a tree whose nodes have semaphores, once towards the root and once back to the leaves,
// and the keys are moved between two arrays. Phases are divided by barriers.
//
// Usage: radix [-p P] [-r RADIX] [-n KEYS] [-m MAXKEY] [-t] [-o]; P and RADIX are powers of two.
// exec: -p 2 -n 32 -r 8 -m 512 -t
// stdout: 32 keys below 512, radix 8, 2 threads
// stdout: 3 digits
// stdout: the keys are in order
// exec: -p 4 -n 24 -r 16 -m 100 -o
// exec: -p 1 -n 10 -r 4 -m 16 -t
// exec: -p 8 -n 16 -r 2 -m 4 -t
// exec: -p 3
// stderr: P must be a power of two
// exit: 1
// exec: -r 1
// exit: 1
// exec: -q
// exit: 2
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_THREADS 64
#define MAX_RADIX 4096

// A node of the tree: the leaves first, then half as many, and so on to the root.
struct node {
    long *densities; // for each digit, the keys below the node
    long *before;    // for each digit, the keys left of the node
    sem_t counted, placed;
};

struct global {
    int id;
    pthread_mutex_t idlock;
    pthread_barrier_t rank_barrier, key_barrier;
    struct node tree[2 * MAX_THREADS];
};

static struct global *global;
static unsigned *key[2];
static long *first_key; // of each thread, and the end of the last
static long *global_ranks;
static int processors = 1, radix = 16, test_result, do_print;
static long keys = 64, max_key = 4096;
static int digits, bits;

static void fail(const char *what)
{
    fprintf(stderr, "radix: %s\n", what);
    exit(1);
}

static void *shared_memory(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory)
        fail("out of memory");
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

static int digit_of(unsigned k, int number)
{
    return (int)(k >> number * bits) & (radix - 1);
}

static void make_keys(int me)
{
    unsigned long state = 314159 + 2718281 * (unsigned long)me;
    for (long i = first_key[me]; i < first_key[me + 1]; i++) {
        state = state * 6364136223846793005ul + 1442695040888963407ul;
        key[0][i] = (unsigned)((state >> 33) % (unsigned long)max_key);
    }
}

static void add(long *to, const long *a, const long *b)
{
    for (int d = 0; d < radix; d++)
        to[d] = a[d] + b[d];
}

// Towards the root: the thread of a right child waits for the left one and goes on with the parent. The last thread gets to
// the root, and so has the totals.
static void sum_up(int me)
{
    int offset = me, base = 0, width = processors;
    struct node *node = &global->tree[me];
    while (offset & 1) {
        struct node *left = &global->tree[base + offset - 1], *right = node;
        offset >>= 1;
        base += width;
        width >>= 1;
        node = &global->tree[base + offset];
        sem_wait(&left->counted);
        add(node->densities, left->densities, right->densities);
    }
    if (width > 1)
        sem_post(&node->counted);
}

// Back to the leaves: a thread waits at the topmost node that it got to, and tells the left children on its way down.
static void hand_down(int me)
{
    int offset = me, base = 0, width = processors, height = 0;
    while (offset & 1) {
        offset >>= 1;
        base += width;
        width >>= 1;
        height++;
    }
    struct node *node = &global->tree[base + offset];
    if (width > 1)
        sem_wait(&node->placed);
    else
        memset(node->before, 0, radix * sizeof *node->before);
    for (; height > 0; height--) {
        width <<= 1;
        base -= width;
        offset = 2 * offset + 1;
        struct node *left = &global->tree[base + offset - 1], *right = &global->tree[base + offset];
        memcpy(left->before, node->before, radix * sizeof *left->before);
        sem_post(&left->placed);
        add(right->before, node->before, left->densities);
        node = right;
    }
}

static void sort_by_digit(int number, int me, long *rank)
{
    const unsigned *from = key[number % 2];
    unsigned *to = key[(number + 1) % 2];
    struct node *leaf = &global->tree[me], *root = &global->tree[2 * processors - 2];
    memset(leaf->densities, 0, radix * sizeof *leaf->densities);
    for (long i = first_key[me]; i < first_key[me + 1]; i++)
        leaf->densities[digit_of(from[i], number)]++;
    pthread_barrier_wait(&global->rank_barrier);
    sum_up(me);
    hand_down(me);
    pthread_barrier_wait(&global->rank_barrier);
    if (me == 0) {
        long sum = 0;
        for (int d = 0; d < radix; d++) {
            global_ranks[d] = sum;
            sum += root->densities[d];
        }
    }
    pthread_barrier_wait(&global->rank_barrier);
    for (int d = 0; d < radix; d++)
        rank[d] = global_ranks[d] + leaf->before[d];
    for (long i = first_key[me]; i < first_key[me + 1]; i++)
        to[rank[digit_of(from[i], number)]++] = from[i];
    pthread_barrier_wait(&global->key_barrier);
}

static void *slave_sort(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&global->idlock);
    int me = global->id;
    global->id++;
    pthread_mutex_unlock(&global->idlock);
    long *rank = shared_memory(radix, sizeof *rank);
    make_keys(me);
    pthread_barrier_wait(&global->key_barrier);
    for (int number = 0; number < digits; number++)
        sort_by_digit(number, me, rank);
    free(rank);
    return NULL;
}

static void make_tree(void)
{
    for (int i = 0; i < 2 * processors - 1; i++) {
        struct node *node = &global->tree[i];
        node->densities = shared_memory(radix, sizeof *node->densities);
        node->before = shared_memory(radix, sizeof *node->before);
        sem_init(&node->counted, 0, 0);
        sem_init(&node->placed, 0, 0);
    }
}

static int count_digits(void)
{
    int count = 0;
    for (unsigned long rest = (unsigned long)max_key - 1; rest > 0; rest >>= bits)
        count++;
    return count ? count : 1;
}

static int options(int argc, char **argv)
{
    int c;
    while ((c = getopt(argc, argv, "p:r:n:m:to")) != -1)
        switch (c) {
        case 'p': processors = atoi(optarg); break;
        case 'r': radix = atoi(optarg); break;
        case 'n': keys = atol(optarg); break;
        case 'm': max_key = atol(optarg); break;
        case 't': test_result = 1; break;
        case 'o': do_print = 1; break;
        default: return 0;
        }
    return 1;
}

static void check_options(void)
{
    if (processors < 1 || processors > MAX_THREADS || log_2(processors) == -1)
        fail("P must be a power of two");
    bits = log_2(radix);
    if (radix < 2 || radix > MAX_RADIX || bits == -1)
        fail("RADIX must be a power of two");
    if (keys < processors || max_key < 1 || max_key > 1L << 31)
        fail("there are too few keys, or they are too large");
}

static int in_order(const unsigned *sorted)
{
    for (long i = 1; i < keys; i++)
        if (sorted[i - 1] > sorted[i])
            return 0;
    return 1;
}

int main(int argc, char **argv)
{
    pthread_t threads[MAX_THREADS];
    if (!options(argc, argv)) {
        fprintf(stderr, "usage: radix [-p P] [-r RADIX] [-n KEYS] [-m MAXKEY] [-t] [-o]\n");
        return 2;
    }
    check_options();
    printf("%ld keys below %ld, radix %d, %d threads\n", keys, max_key, radix, processors);
    digits = count_digits();
    global = shared_memory(1, sizeof *global);
    key[0] = shared_memory(keys, sizeof *key[0]);
    key[1] = shared_memory(keys, sizeof *key[1]);
    global_ranks = shared_memory(radix, sizeof *global_ranks);
    first_key = shared_memory(processors + 1, sizeof *first_key);
    for (int p = 0; p <= processors; p++)
        first_key[p] = keys * p / processors;
    pthread_mutex_init(&global->idlock, NULL);
    pthread_barrier_init(&global->rank_barrier, NULL, processors);
    pthread_barrier_init(&global->key_barrier, NULL, processors);
    make_tree();
    for (int i = 1; i < processors; i++)
        if (pthread_create(&threads[i], NULL, slave_sort, NULL) != 0)
            fail("cannot start a thread");
    slave_sort(NULL);
    for (int i = 1; i < processors; i++)
        pthread_join(threads[i], NULL);
    const unsigned *sorted = key[digits % 2];
    printf("%d digits\n", digits);
    if (test_result)
        puts(in_order(sorted) ? "the keys are in order" : "the keys are not in order");
    if (do_print)
        for (long i = 0; i < keys; i++)
            printf("%u\n", sorted[i]);
    return 0;
}
