// The parallel structure of PARSEC's dedup: a pipeline of stages (fragment, refine, deduplicate, compress, reorder) with
// several threads per inner stage. Between two stages is a bounded queue: a ring under a mutex, two condition variables, and
// a count of producers that have terminated. Threads take and put several chunks at a time. The hash table has a lock per
// bucket; a chunk that was seen before goes past the compressing stage, straight to reordering.
//
// Usage: dedup [-t THREADS] [-q SIZE] [FILE]. Output: a line for each chunk, in the order of the input.
//
// Four bytes are one chunk, whose hash says which of the table's 16 locks it needs: one schedule for all of them, or one for each if so
// many may be told apart.
// run: enumerate --without epochs --sym-stdin 4 -- -t 1
// expect: epochs=1 schedules=1 complete=true deadlocked=0 max_live_threads=6
// run: enumerate --without epochs --sym-stdin 4 --conservative-after 16 -- -t 1
// expect: epochs=1 schedules=16 complete=true deadlocked=0 max_live_threads=6
// exec: -t 2 -q 4
// stdin: the quick brown fox jumps over the lazy dog; the quick brown fox jumps over the lazy dog.
// stdin: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
// stdin: the quick brown fox jumps over the lazy dog; the quick brown fox jumps over the lazy dog.
// stdin: how much wood would a woodchuck chuck if a woodchuck could chuck wood?
// stdin: as much wood as a woodchuck could chuck, if a woodchuck could chuck wood.
// exec: -t 1 -q 1
// stdin: the quick brown fox jumps over the lazy dog; the quick brown fox jumps over the lazy dog.
// exec: -t 3
// stdout: 0 bytes, 0 chunks, 0 of them new
// exec: -t 0
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_THREADS 16
#define BATCH 3
#define BUCKETS 16
#define COARSE 64
#define SMALLEST 8

struct chunk {
    int coarse, fine, is_last, is_duplicate, is_compressed;
    unsigned char *bytes;
    size_t length, packed;
    unsigned long hash;
    struct chunk *original, *next;
    pthread_mutex_t lock;
};

struct ring {
    struct chunk **slot;
    int size, head, tail;
};

struct queue {
    struct ring ring;
    int producers, terminated;
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
};

static struct queue to_refine, to_deduplicate, to_compress, to_reorder;
static struct { struct chunk *first; pthread_mutex_t lock; } table[BUCKETS];
static int thread_count = 2, queue_size = 8;
static FILE *input;
static long total_bytes, total_chunks, new_chunks;

static void *memory(size_t size)
{
    void *p = calloc(1, size ? size : 1);
    if (!p) {
        fprintf(stderr, "dedup: out of memory\n");
        exit(1);
    }
    return p;
}

static void ring_init(struct ring *r, int capacity)
{
    r->size = capacity + 1;
    r->head = r->tail = 0;
    r->slot = memory(r->size * sizeof *r->slot);
}

static int ring_is_empty(const struct ring *r)
{
    return r->head == r->tail;
}

static int ring_is_full(const struct ring *r)
{
    return (r->head + 1) % r->size == r->tail;
}

static void ring_put(struct ring *r, struct chunk *c)
{
    r->slot[r->head] = c;
    r->head = (r->head + 1) % r->size;
}

static struct chunk *ring_get(struct ring *r)
{
    struct chunk *c = r->slot[r->tail];
    r->tail = (r->tail + 1) % r->size;
    return c;
}

static void queue_init(struct queue *q, int size, int producers)
{
    ring_init(&q->ring, size);
    q->producers = producers;
    q->terminated = 0;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->not_empty, NULL);
    pthread_cond_init(&q->not_full, NULL);
}

static void queue_terminate(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->terminated++;
    if (q->terminated == q->producers)
        pthread_cond_broadcast(&q->not_empty);
    pthread_mutex_unlock(&q->lock);
}

// Takes up to BATCH chunks; none if all producers have terminated.
static int dequeue(struct queue *q, struct ring *to)
{
    int n = 0;
    pthread_mutex_lock(&q->lock);
    while (ring_is_empty(&q->ring) && q->terminated < q->producers)
        pthread_cond_wait(&q->not_empty, &q->lock);
    while (n < BATCH && !ring_is_empty(&q->ring) && !ring_is_full(to)) {
        ring_put(to, ring_get(&q->ring)); //~ taking
        n++;
    }
    if (n > 0)
        pthread_cond_signal(&q->not_full);
    pthread_mutex_unlock(&q->lock);
    return n;
}

static void enqueue(struct queue *q, struct ring *from)
{
    while (!ring_is_empty(from)) {
        pthread_mutex_lock(&q->lock);
        while (ring_is_full(&q->ring))
            pthread_cond_wait(&q->not_full, &q->lock);
        for (int n = 0; n < BATCH && !ring_is_empty(from) && !ring_is_full(&q->ring); n++)
            ring_put(&q->ring, ring_get(from)); //~ giving
        pthread_cond_signal(&q->not_empty);
        pthread_mutex_unlock(&q->lock);
    }
}

static void collect(struct queue *q, struct ring *buffer, struct chunk *c)
{
    ring_put(buffer, c);
    if (ring_is_full(buffer))
        enqueue(q, buffer);
}

static struct chunk *new_chunk(int coarse, int fine, const unsigned char *bytes, size_t length)
{
    struct chunk *c = memory(sizeof *c);
    c->coarse = coarse;
    c->fine = fine;
    c->bytes = memory(length);
    memcpy(c->bytes, bytes, length);
    c->length = length;
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

// Cuts the input into coarse pieces.
static void *fragment(void *arg)
{
    struct ring send;
    unsigned char buffer[COARSE];
    size_t n;
    ring_init(&send, BATCH);
    for (int coarse = 0; (n = fread(buffer, 1, sizeof buffer, input)) > 0; coarse++) {
        total_bytes += n;
        collect(&to_refine, &send, new_chunk(coarse, 0, buffer, n));
    }
    enqueue(&to_refine, &send);
    queue_terminate(&to_refine);
    return arg;
}

// The length of the next fine piece: it ends where a hash of the last bytes has zeros at its end.
static size_t fine_length(const unsigned char *bytes, size_t length)
{
    unsigned rolling = 0;
    for (size_t i = 0; i < length; i++) {
        rolling = (rolling << 1) + bytes[i] * 2654435761u;
        if (i + 1 >= SMALLEST && (rolling & 0x300) == 0)
            return i + 1;
    }
    return length;
}

static void *refine(void *arg)
{
    struct ring receive, send;
    ring_init(&receive, BATCH);
    ring_init(&send, BATCH);
    while (dequeue(&to_refine, &receive) > 0)
        while (!ring_is_empty(&receive)) {
            struct chunk *c = ring_get(&receive);
            int fine = 0;
            for (size_t at = 0, n; at < c->length; at += n) {
                n = fine_length(c->bytes + at, c->length - at);
                struct chunk *piece = new_chunk(c->coarse, fine++, c->bytes + at, n);
                piece->is_last = at + n == c->length;
                collect(&to_deduplicate, &send, piece); //~ refined
            }
            free(c->bytes);
            free(c);
        }
    enqueue(&to_deduplicate, &send);
    queue_terminate(&to_deduplicate);
    return arg;
}

// Enters a chunk into the table, unless its like is there.
static void look_up(struct chunk *c)
{
    c->hash = 14695981039346656037ul;
    for (size_t i = 0; i < c->length; i++)
        c->hash = (c->hash ^ c->bytes[i]) * 1099511628211ul;
    unsigned bucket = c->hash % BUCKETS;
    pthread_mutex_lock(&table[bucket].lock);
    struct chunk *same = table[bucket].first;
    while (same && (same->hash != c->hash || same->length != c->length))
        same = same->next;
    if (same) {
        c->is_duplicate = 1;
        c->original = same;
    } else {
        c->next = table[bucket].first;
        table[bucket].first = c;
    }
    pthread_mutex_unlock(&table[bucket].lock);
}

static void *deduplicate(void *arg)
{
    struct ring receive, compress, reorder;
    ring_init(&receive, BATCH);
    ring_init(&compress, BATCH);
    ring_init(&reorder, BATCH);
    while (dequeue(&to_deduplicate, &receive) > 0)
        while (!ring_is_empty(&receive)) {
            struct chunk *c = ring_get(&receive);
            look_up(c);
            if (c->is_duplicate)
                collect(&to_reorder, &reorder, c);
            else
                collect(&to_compress, &compress, c); //~ unique
        }
    enqueue(&to_compress, &compress);
    enqueue(&to_reorder, &reorder);
    queue_terminate(&to_compress);
    queue_terminate(&to_reorder);
    return arg;
}

// Run lengths: the number of bytes that pairs of (count, byte) would take.
static size_t packed_length(const unsigned char *bytes, size_t length)
{
    size_t packed = 0;
    for (size_t i = 0, run; i < length; i += run) {
        for (run = 1; i + run < length && run < 255 && bytes[i + run] == bytes[i];)
            run++;
        packed += 2;
    }
    return packed < length ? packed : length;
}

// Whoever comes first: to wait for a compressor here, which may wait for room in front of this stage, would be a deadlock.
static void pack(struct chunk *c)
{
    pthread_mutex_lock(&c->lock);
    if (!c->is_compressed) {
        c->packed = packed_length(c->bytes, c->length);
        c->is_compressed = 1;
    }
    pthread_mutex_unlock(&c->lock);
}

static void *compress(void *arg)
{
    struct ring receive, send;
    ring_init(&receive, BATCH);
    ring_init(&send, BATCH);
    while (dequeue(&to_compress, &receive) > 0)
        while (!ring_is_empty(&receive)) {
            struct chunk *c = ring_get(&receive);
            pack(c);
            collect(&to_reorder, &send, c); //~ compressed
        }
    enqueue(&to_reorder, &send);
    queue_terminate(&to_reorder);
    return arg;
}

// Which of equal chunks came into the table first depends on the interleaving; which is written first does not.
static void write_chunk(struct chunk *c)
{
    struct chunk *original = c->is_duplicate ? c->original : c;
    pack(original);
    printf("%d.%d: %016lx, %zu bytes, ", c->coarse, c->fine, c->hash, c->length);
    // What is written is marked by the lack of its bytes.
    if (original->bytes) {
        printf("packed %zu\n", original->packed);
        free(original->bytes);
        original->bytes = NULL;
        new_chunks++;
    } else {
        puts("known");
    }
    total_chunks++;
}

// Chunks that came too early wait in a sorted list.
static void *reorder(void *arg)
{
    struct ring receive;
    struct waiting { struct chunk *chunk; struct waiting *next; } *early = NULL;
    int coarse = 0, fine = 0;
    ring_init(&receive, BATCH);
    while (dequeue(&to_reorder, &receive) > 0)
        while (!ring_is_empty(&receive)) {
            struct waiting *w = memory(sizeof *w), **at = &early;
            w->chunk = ring_get(&receive);
            while (*at && ((*at)->chunk->coarse < w->chunk->coarse ||
                           ((*at)->chunk->coarse == w->chunk->coarse && (*at)->chunk->fine < w->chunk->fine)))
                at = &(*at)->next;
            w->next = *at;
            *at = w;
            while (early && early->chunk->coarse == coarse && early->chunk->fine == fine) {
                struct waiting *next = early->next;
                write_chunk(early->chunk); //~ write
                coarse += early->chunk->is_last;
                fine = early->chunk->is_last ? 0 : fine + 1;
                free(early);
                early = next;
            }
        }
    return arg;
}

static int options(int argc, char **argv)
{
    int c;
    while ((c = getopt(argc, argv, "t:q:")) != -1)
        switch (c) {
        case 't': thread_count = atoi(optarg); break;
        case 'q': queue_size = atoi(optarg); break;
        default: return 0;
        }
    input = optind < argc ? fopen(argv[optind], "rb") : stdin;
    return input && thread_count > 0 && thread_count <= MAX_THREADS && queue_size > 0;
}

static void start(pthread_t *thread, void *(*stage)(void *))
{
    if (pthread_create(thread, NULL, stage, NULL) != 0) {
        fprintf(stderr, "dedup: cannot start a thread\n");
        exit(1);
    }
}

int main(int argc, char **argv)
{
    pthread_t first, refining[MAX_THREADS], deduplicating[MAX_THREADS], compressing[MAX_THREADS], last;
    if (!options(argc, argv)) {
        fprintf(stderr, "usage: dedup [-t THREADS] [-q SIZE] [FILE]\n");
        return 2;
    }
    for (int i = 0; i < BUCKETS; i++)
        pthread_mutex_init(&table[i].lock, NULL);
    queue_init(&to_refine, queue_size, 1);
    queue_init(&to_deduplicate, queue_size, thread_count);
    queue_init(&to_compress, queue_size, thread_count);
    queue_init(&to_reorder, queue_size, 2 * thread_count);
    start(&first, fragment);
    for (int i = 0; i < thread_count; i++)
        start(&refining[i], refine);
    for (int i = 0; i < thread_count; i++)
        start(&deduplicating[i], deduplicate);
    for (int i = 0; i < thread_count; i++)
        start(&compressing[i], compress);
    start(&last, reorder);
    pthread_join(first, NULL);
    for (int i = 0; i < thread_count; i++)
        pthread_join(refining[i], NULL); //~ join
    for (int i = 0; i < thread_count; i++)
        pthread_join(deduplicating[i], NULL);
    for (int i = 0; i < thread_count; i++)
        pthread_join(compressing[i], NULL);
    pthread_join(last, NULL);
    printf("%ld bytes, %ld chunks, %ld of them new\n", total_bytes, total_chunks, new_chunks);
    return 0;
}
