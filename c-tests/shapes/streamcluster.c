// The parallel structure of PARSEC's streamcluster: for every chunk of the stream, threads are started that all go through
// one local search. Phases are divided by barriers; sums are put together by thread 0 alone between two of them; and in
// `speedy`, thread 0 decides which centers are opened and wakes the others by a condition variable each time.
//
// Usage: streamcluster KMIN KMAX DIMENSIONS POINTS CHUNK THREADS [SEED]
// run: enumerate -- 1 2 1 4 2 2
// expect: complete=true deadlocked=0
// exec: 2 4 2 24 12 2
// exec: 2 3 3 20 20 3
// exec: 3 5 2 10 4 1
// exec: 2 3 2 9 9 2 7
// exec: 3 5 2
// exit: 2
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_THREADS 16
#define MAX_CENTERS 200
#define SPEEDY_TRIES 3

struct point {
    float weight, *at;
    long center;
    float cost;
};

struct points {
    long count;
    int dimensions;
    struct point *p;
};

struct argument {
    struct points *points;
    long kmin, kmax;
    int id;
};

static int thread_count;
static pthread_barrier_t barrier;
static char *is_center, *changes_center;
static long *center_number;
static long centers; // how many there are
static double partial[MAX_THREADS];

static void *memory(size_t size)
{
    void *p = calloc(1, size);
    if (!p) {
        fprintf(stderr, "streamcluster: out of memory\n");
        exit(1);
    }
    return p;
}

static float distance(const struct point *a, const struct point *b, int dimensions)
{
    float sum = 0;
    for (int i = 0; i < dimensions; i++)
        sum += (a->at[i] - b->at[i]) * (a->at[i] - b->at[i]);
    return sum;
}

static void slice(const struct points *points, int id, long *first, long *end)
{
    long share = points->count / thread_count;
    *first = share * id;
    *end = id == thread_count - 1 ? points->count : *first + share;
}

// The sum of what the threads bring, for all of them.
static double sum_of_all(double mine, int id)
{
    static double total;
    partial[id] = mine;
    pthread_barrier_wait(&barrier);
    if (id == 0) {
        total = 0;
        for (int i = 0; i < thread_count; i++)
            total += partial[i];
    }
    pthread_barrier_wait(&barrier);
    return total;
}

// What opening a center at x brings; if it is something, x is opened, and centers that are not worth it any more are closed.
static double gain(long x, struct points *points, double z, int id)
{
    static double *work, opening_cost;
    static long closing;
    long first, end, count = 0, to_close = 0, width = centers + 2, last = width - 2;
    double cost = 0;
    slice(points, id, &first, &end);
    if (id == 0)
        work = memory(width * (thread_count + 1) * sizeof *work);
    pthread_barrier_wait(&barrier);

    // Centers are numbered: first within the slices, then with what stands before them.
    double *mine = &work[id * width], *all = &work[thread_count * width];
    for (long i = first; i < end; i++)
        if (is_center[i])
            center_number[i] = count++;
    mine[0] = count;
    pthread_barrier_wait(&barrier);
    if (id == 0) {
        double before = 0;
        for (int i = 0; i < thread_count; i++) {
            double here = work[i * width];
            work[i * width] = before;
            before += here;
        }
    }
    pthread_barrier_wait(&barrier);
    for (long i = first; i < end; i++)
        if (is_center[i])
            center_number[i] += (long)mine[0];
    memset(&changes_center[first], 0, end - first);
    memset(mine, 0, width * sizeof *mine);
    pthread_barrier_wait(&barrier);

    // What each point saves by x, or loses if its center is closed in favour of x.
    for (long i = first; i < end; i++) {
        struct point *p = &points->p[i];
        double there = distance(p, &points->p[x], points->dimensions) * p->weight;
        if (there < p->cost) {
            changes_center[i] = 1;
            cost += there - p->cost;
        } else {
            mine[center_number[p->center]] += p->cost - there;
        }
    }
    pthread_barrier_wait(&barrier); //~ saved
    for (long i = first; i < end; i++)
        if (is_center[i]) {
            double saved = z;
            for (int t = 0; t < thread_count; t++)
                saved += work[t * width + center_number[i]];
            all[center_number[i]] = saved;
            if (saved > 0) {
                to_close++;
                cost -= saved;
            }
        }
    mine[last] = to_close;
    mine[last + 1] = cost;
    pthread_barrier_wait(&barrier);
    if (id == 0) {
        opening_cost = z;
        closing = 0;
        for (int t = 0; t < thread_count; t++) {
            closing += (long)work[t * width + last];
            opening_cost += work[t * width + last + 1];
        }
    }
    pthread_barrier_wait(&barrier);

    double gained = opening_cost < 0 ? -opening_cost : 0;
    if (gained > 0) {
        for (long i = first; i < end; i++) {
            struct point *p = &points->p[i];
            if (changes_center[i] || all[center_number[p->center]] > 0) {
                p->cost = distance(p, &points->p[x], points->dimensions) * p->weight;
                p->center = x;
            }
        }
        for (long i = first; i < end; i++)
            if (is_center[i] && all[center_number[i]] > 0)
                is_center[i] = 0;
        if (x >= first && x < end)
            is_center[x] = 1;
        if (id == 0)
            centers += 1 - closing;
    }
    pthread_barrier_wait(&barrier);
    if (id == 0)
        free(work);
    return gained;
}

static double local_search(struct points *points, double z, double cost, int id)
{
    static long candidate;
    double change = cost;
    while (change / cost > 0.01) {
        change = 0;
        for (long i = 0; i < points->count; i++) {
            if (id == 0)
                candidate = lrand48() % points->count;
            pthread_barrier_wait(&barrier);
            change += gain(candidate, points, z, id); //~ gains
        }
        cost -= change;
    }
    return cost;
}

// A first set of centers: the more a point costs, the more likely it becomes one.
static double speedy(struct points *points, double z, int id)
{
    static int is_open;
    static long next;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
    long first, end;
    slice(points, id, &first, &end);
    for (long k = first; k < end; k++) {
        points->p[k].cost = distance(&points->p[k], &points->p[0], points->dimensions) * points->p[k].weight;
        points->p[k].center = 0;
    }
    pthread_barrier_wait(&barrier);
    if (id == 0)
        centers = 1;
    for (long i = 1;; i++) {
        if (id == 0) {
            while (i < points->count && lrand48() / 2147483648.0 >= points->p[i].cost / z)
                i++;
            pthread_mutex_lock(&lock);
            next = i;
            is_open = 1;
            pthread_mutex_unlock(&lock);
            pthread_cond_broadcast(&opened);
        } else {
            pthread_mutex_lock(&lock);
            while (!is_open)
                pthread_cond_wait(&opened, &lock);
            pthread_mutex_unlock(&lock);
            i = next;
        }
        if (i >= points->count)
            break;
        for (long k = first; k < end; k++) {
            float there = distance(&points->p[k], &points->p[i], points->dimensions) * points->p[k].weight;
            if (there < points->p[k].cost) {
                points->p[k].cost = there;
                points->p[k].center = i;
            }
        }
        pthread_barrier_wait(&barrier);
        if (id == 0) {
            centers++;
            is_open = 0;
        }
        pthread_barrier_wait(&barrier);
    }
    double mine = 0;
    for (long k = first; k < end; k++)
        mine += points->p[k].cost;
    double total = sum_of_all(mine, id) + z * centers;
    if (id == 0)
        is_open = 0;
    pthread_barrier_wait(&barrier);
    return total;
}

// Searches for a price z of a center at which there are between kmin and kmax of them.
static void k_median(struct points *points, long kmin, long kmax, int id)
{
    long first, end;
    double mine = 0, low = 0, cost;
    slice(points, id, &first, &end);
    for (long k = first; k < end; k++)
        mine += distance(&points->p[k], &points->p[0], points->dimensions) * points->p[k].weight;
    double high = sum_of_all(mine, id), z = high / 2;
    if (points->count <= kmax) {
        for (long k = first; k < end; k++) {
            points->p[k].center = k;
            points->p[k].cost = 0;
        }
        if (id == 0)
            centers = points->count;
        return;
    }
    cost = speedy(points, z, id);
    for (int i = 0; centers < kmin && i < SPEEDY_TRIES; i++)
        cost = speedy(points, z, id);
    pthread_barrier_wait(&barrier);
    for (long k = first; k < end; k++)
        is_center[k] = 0;
    pthread_barrier_wait(&barrier);
    if (id == 0)
        for (long k = 0; k < points->count; k++)
            is_center[points->p[k].center] = 1;
    if (id == 0) {
        centers = 0;
        for (long k = 0; k < points->count; k++)
            centers += is_center[k];
    }
    pthread_barrier_wait(&barrier);
    for (;;) {
        cost = local_search(points, z, cost, id);
        if ((centers >= kmin && centers <= kmax) || low >= 0.999 * high)
            break;
        if (centers > kmax)
            low = z;
        else
            high = z;
        cost += ((low + high) / 2 - z) * centers;
        z = (low + high) / 2;
        pthread_barrier_wait(&barrier);
    }
}

static void *search_thread(void *arg)
{
    struct argument *a = arg;
    k_median(a->points, a->kmin, a->kmax, a->id);
    return NULL;
}

static void search(struct points *points, long kmin, long kmax)
{
    pthread_t threads[MAX_THREADS];
    struct argument arguments[MAX_THREADS];
    pthread_barrier_init(&barrier, NULL, thread_count);
    for (int i = 0; i < thread_count; i++) {
        arguments[i] = (struct argument){ points, kmin, kmax, i };
        if (pthread_create(&threads[i], NULL, search_thread, &arguments[i]) != 0) {
            fprintf(stderr, "streamcluster: cannot start a thread\n");
            exit(1);
        }
    }
    for (int i = 0; i < thread_count; i++)
        pthread_join(threads[i], NULL); //~ join
    pthread_barrier_destroy(&barrier);
}

static void read_chunk(struct points *points, long count)
{
    points->count = count;
    for (long i = 0; i < count; i++) {
        points->p[i].weight = 1;
        for (int d = 0; d < points->dimensions; d++)
            points->p[i].at[d] = lrand48() / 2147483648.0f;
    }
}

// The centers of a chunk, moved to the middle of their points and as heavy as these, are points of the last search.
static void keep_centers(struct points *points, struct points *kept)
{
    for (long c = 0; c < points->count; c++) {
        struct point *to = &kept->p[kept->count];
        float weight = 0;
        memset(to->at, 0, kept->dimensions * sizeof *to->at);
        for (long i = 0; i < points->count; i++)
            if (points->p[i].center == c) {
                weight += points->p[i].weight;
                for (int d = 0; d < kept->dimensions; d++)
                    to->at[d] += points->p[i].at[d] * points->p[i].weight;
            }
        if (weight == 0 || kept->count == MAX_CENTERS - 1)
            continue;
        for (int d = 0; d < kept->dimensions; d++)
            to->at[d] /= weight;
        to->weight = weight;
        kept->count++;
    }
}

static struct points make_points(long count, int dimensions)
{
    struct points points = { 0, dimensions, memory(count * sizeof *points.p) };
    for (long i = 0; i < count; i++)
        points.p[i].at = memory(dimensions * sizeof(float));
    return points;
}

int main(int argc, char **argv)
{
    if (argc != 7 && argc != 8) {
        fprintf(stderr, "usage: streamcluster KMIN KMAX DIMENSIONS POINTS CHUNK THREADS [SEED]\n");
        return 2;
    }
    long kmin = atol(argv[1]), kmax = atol(argv[2]), count = atol(argv[4]), chunk = atol(argv[5]);
    int dimensions = atoi(argv[3]);
    thread_count = atoi(argv[6]);
    if (kmin < 1 || kmax < kmin || dimensions < 1 || count < 1 || chunk < 1 || thread_count < 1 ||
        thread_count > MAX_THREADS) {
        fprintf(stderr, "streamcluster: these numbers do not fit\n");
        return 2;
    }
    long most = chunk > MAX_CENTERS ? chunk : MAX_CENTERS;
    struct points points = make_points(chunk, dimensions), kept = make_points(MAX_CENTERS, dimensions);
    is_center = memory(most);
    changes_center = memory(most);
    center_number = memory(most * sizeof *center_number);
    srand48(argc == 8 ? atol(argv[7]) : 1);
    for (long done = 0; done < count; done += points.count) {
        read_chunk(&points, count - done < chunk ? count - done : chunk);
        memset(is_center, 0, most);
        search(&points, kmin, kmax); //~ chunk
        keep_centers(&points, &kept);
        printf("%ld points, %ld centers so far\n", points.count, kept.count);
    }
    memset(is_center, 0, most);
    search(&kept, kmin, kmax);
    for (long i = 0; i < kept.count; i++)
        printf("%ld of weight %.0f belongs to %ld\n", i, kept.p[i].weight, kept.p[i].center);
    return 0;
}
