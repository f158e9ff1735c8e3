// The parallel structure of pbzip2: one thread reads blocks and puts them into a bounded queue (a mutex, two condition
// variables), workers compress them, and a writer puts them out in the order of the input: it waits for the next block's
// slot in a ring of results, and readers of blocks wait while this ring has no room. Blocks are compressed by moving recent
// bytes to the front and counting runs.
//
// Usage: compress [-p WORKERS] [-b BLOCK] [-q SIZE] [-t] [FILE]; -t unpacks each block again and compares.
// exec: -p 2 -b 16 -q 2 -t
// stdin: aaaaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbb
// stdin: the rain in spain falls mainly on the plain, plain, plain
// stdin:
// stdin: mississippi mississippi mississippi
// stdout: block 0: 16 to 4 bytes
// stdout: block 1: 16 to 8 bytes
// stdout: block 2: 16 to 12 bytes
// stdout: block 3: 16 to 16 bytes
// stdout: block 4: 16 to 16 bytes
// stdout: block 5: 16 to 10 bytes
// stdout: block 6: 16 to 16 bytes
// stdout: block 7: 16 to 16 bytes
// stdout: block 8: 8 to 8 bytes
// stdout: 9 blocks, 136 to 106 bytes, checksum 651de6b8b44180f2
// stdout: blocks are as they were
// exec: -p 4 -b 8 -q 1 -t
// stdin: abcabcabcabc abcabcabcabc xxxxxxxxxxxxxxxxxxxxxxxx
// exec: -p 3
// stdout: 0 blocks, 0 to 0 bytes, checksum cbf29ce484222325
// exec: -p 2 nosuchfile
// stderr: cannot open
// exit: 1
// exec: -b 0
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_WORKERS 64
#define RUN_MARK 255

struct block {
    long number;
    unsigned char *bytes;
    size_t length;
};

struct queue {
    struct block *slot;
    int size, head, tail, count, finished;
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
};

// What workers hand to the writer: a ring of twice as many blocks as are in the queue.
struct result {
    unsigned char *packed;
    size_t length, original;
    int is_ready;
};

struct output {
    struct result *slot;
    long size, next, total; // the block to be written next; how many there are, -1 until the reader knows
    pthread_mutex_t lock;
    pthread_cond_t ready, written;
};

static struct queue queue;
static struct output output;
static int workers = 2, queue_size = 4, block_size = 64, test_blocks;
static FILE *input;
static long damaged;
static pthread_mutex_t damaged_lock = PTHREAD_MUTEX_INITIALIZER;

static void fail(const char *what)
{
    fprintf(stderr, "compress: %s\n", what);
    exit(1);
}

static void *memory(size_t size)
{
    void *p = malloc(size ? size : 1);
    if (!p)
        fail("out of memory");
    return p;
}

static void first_order(unsigned char *recent)
{
    for (int i = 0; i < 256; i++)
        recent[i] = (unsigned char)i;
}

static int to_front(unsigned char *recent, int place)
{
    unsigned char byte = recent[place];
    memmove(recent + 1, recent, place);
    recent[0] = byte;
    return byte;
}

static size_t put_run(unsigned char *to, size_t at, int place, size_t run)
{
    if (run < 4 && place != RUN_MARK) {
        memset(to + at, place, run);
        return at + run;
    }
    to[at] = RUN_MARK;
    to[at + 1] = (unsigned char)place;
    to[at + 2] = (unsigned char)run;
    return at + 3;
}

// At most three bytes for each one. Returns the length.
static size_t pack(const unsigned char *from, size_t length, unsigned char *to)
{
    unsigned char recent[256];
    size_t at = 0, run = 0;
    int last = -1;
    first_order(recent);
    for (size_t i = 0; i < length; i++) {
        int place = 0;
        while (recent[place] != from[i])
            place++;
        to_front(recent, place);
        if (run > 0 && (place != last || run == 255)) {
            at = put_run(to, at, last, run);
            run = 0;
        }
        last = place;
        run++;
    }
    return run > 0 ? put_run(to, at, last, run) : at;
}

static int unpacks_to(const unsigned char *packed, size_t length, const unsigned char *bytes, size_t original)
{
    unsigned char recent[256];
    size_t n = 0;
    first_order(recent);
    for (size_t i = 0; i < length; i++) {
        int place = packed[i], run = 1;
        if (place == RUN_MARK) {
            place = packed[i + 1];
            run = packed[i + 2];
            i += 2;
        }
        while (run-- > 0)
            if (n == original || to_front(recent, place) != bytes[n++])
                return 0;
    }
    return n == original;
}

static void queue_init(struct queue *q, int size)
{
    q->slot = memory(size * sizeof *q->slot);
    q->size = size;
    q->head = q->tail = q->count = q->finished = 0;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->not_empty, NULL);
    pthread_cond_init(&q->not_full, NULL);
}

static void queue_put(struct queue *q, struct block b)
{
    pthread_mutex_lock(&q->lock);
    while (q->count == q->size)
        pthread_cond_wait(&q->not_full, &q->lock);
    q->slot[q->tail] = b;
    q->tail = (q->tail + 1) % q->size;
    q->count++;
    pthread_cond_signal(&q->not_empty);
    pthread_mutex_unlock(&q->lock);
}

static void queue_finish(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->finished = 1;
    pthread_cond_broadcast(&q->not_empty);
    pthread_mutex_unlock(&q->lock);
}

static int queue_get(struct queue *q, struct block *b)
{
    pthread_mutex_lock(&q->lock);
    while (q->count == 0 && !q->finished)
        pthread_cond_wait(&q->not_empty, &q->lock);
    int got = q->count > 0;
    if (got) {
        *b = q->slot[q->head];
        q->head = (q->head + 1) % q->size;
        q->count--;
        pthread_cond_signal(&q->not_full);
    }
    pthread_mutex_unlock(&q->lock);
    return got;
}

// Reads blocks as long as there are any, and says how many there were.
static void read_blocks(void)
{
    long number = 0;
    for (;;) {
        struct block b = { number, memory(block_size), 0 };
        b.length = fread(b.bytes, 1, block_size, input);
        if (b.length == 0) {
            free(b.bytes);
            break;
        }
        pthread_mutex_lock(&output.lock);
        while (number >= output.next + output.size)
            pthread_cond_wait(&output.written, &output.lock);
        pthread_mutex_unlock(&output.lock);
        queue_put(&queue, b);
        number++;
    }
    if (ferror(input))
        fail("cannot read the input");
    queue_finish(&queue);
    pthread_mutex_lock(&output.lock);
    output.total = number;
    pthread_cond_signal(&output.ready);
    pthread_mutex_unlock(&output.lock);
}

static void hand_over(const struct block *b, unsigned char *packed, size_t length)
{
    pthread_mutex_lock(&output.lock);
    struct result *r = &output.slot[b->number % output.size];
    r->packed = packed;
    r->length = length;
    r->original = b->length;
    r->is_ready = 1;
    if (b->number == output.next)
        pthread_cond_signal(&output.ready);
    pthread_mutex_unlock(&output.lock);
}

static void *worker(void *unused)
{
    struct block b;
    while (queue_get(&queue, &b)) {
        unsigned char *packed = memory(3 * b.length);
        size_t length = pack(b.bytes, b.length, packed);
        if (test_blocks && !unpacks_to(packed, length, b.bytes, b.length)) {
            pthread_mutex_lock(&damaged_lock);
            damaged++;
            pthread_mutex_unlock(&damaged_lock);
        }
        hand_over(&b, packed, length);
        free(b.bytes);
    }
    return unused;
}

static unsigned long checksum(unsigned long sum, const unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        sum = (sum ^ bytes[i]) * 1099511628211ul;
    return sum;
}

static void *writer(void *unused)
{
    long in = 0, out = 0, number = 0;
    unsigned long sum = 14695981039346656037ul;
    for (;;) {
        pthread_mutex_lock(&output.lock);
        struct result *slot = &output.slot[number % output.size];
        while (!slot->is_ready && number != output.total)
            pthread_cond_wait(&output.ready, &output.lock);
        if (!slot->is_ready) {
            pthread_mutex_unlock(&output.lock);
            break;
        }
        struct result r = *slot;
        slot->is_ready = 0;
        output.next = ++number;
        pthread_cond_signal(&output.written);
        pthread_mutex_unlock(&output.lock);
        printf("block %ld: %zu to %zu bytes\n", number - 1, r.original, r.length);
        sum = checksum(sum, r.packed, r.length);
        in += (long)r.original;
        out += (long)r.length;
        free(r.packed);
    }
    printf("%ld blocks, %ld to %ld bytes, checksum %016lx\n", number, in, out, sum);
    return unused;
}

static int options(int argc, char **argv)
{
    int c;
    while ((c = getopt(argc, argv, "p:b:q:t")) != -1)
        switch (c) {
        case 'p': workers = atoi(optarg); break;
        case 'b': block_size = atoi(optarg); break;
        case 'q': queue_size = atoi(optarg); break;
        case 't': test_blocks = 1; break;
        default: return 0;
        }
    return workers > 0 && workers <= MAX_WORKERS && block_size > 0 && queue_size > 0 && optind >= argc - 1;
}

static void start(pthread_t *thread, void *(*run)(void *))
{
    if (pthread_create(thread, NULL, run, NULL) != 0)
        fail("cannot start a thread");
}

int main(int argc, char **argv)
{
    pthread_t threads[MAX_WORKERS], writing;
    if (!options(argc, argv)) {
        fprintf(stderr, "usage: compress [-p WORKERS] [-b BLOCK] [-q SIZE] [-t] [FILE]\n");
        return 2;
    }
    input = optind < argc ? fopen(argv[optind], "rb") : stdin;
    if (!input)
        fail("cannot open the input");
    queue_init(&queue, queue_size);
    output.size = 2 * queue_size;
    output.slot = memory(output.size * sizeof *output.slot);
    memset(output.slot, 0, output.size * sizeof *output.slot);
    output.total = -1;
    pthread_mutex_init(&output.lock, NULL);
    pthread_cond_init(&output.ready, NULL);
    pthread_cond_init(&output.written, NULL);
    start(&writing, writer);
    for (int i = 0; i < workers; i++)
        start(&threads[i], worker);
    read_blocks();
    for (int i = 0; i < workers; i++)
        pthread_join(threads[i], NULL);
    pthread_join(writing, NULL);
    if (test_blocks)
        puts(damaged ? "blocks are damaged" : "blocks are as they were");
    return damaged ? 1 : 0;
}
