// The parallel structure of pbzip2 with the waits that it has: how many blocks there are follows from the size of the file, one
// thread reads them and puts them into a bounded queue, workers take them out and wait for a moment at a time, and a writer
// looks from time to time whether the next block is there. Nor are workers far ahead of the writer, for the sake of memory.
// Blocks are compressed by counting runs of equal bytes. compress.c has waits without end in the place of these.
//
// Usage: pzip [-p WORKERS] [-b BLOCK] [-q SIZE] [-m AHEAD] [-g BYTES] FILE; -g makes the file first.
//
// Each wait has an end, or somebody who ends it, so nothing can be blocked for ever.
// run: enumerate --sym-file data=100 -- -p 2 data
// expect: complete=true deadlocked=0 max_live_threads=4
// exec: -p 2 -g 200 data
// stdout: block 0: 22 bytes
// stdout: block 1: 24 bytes
// stdout: block 2: 22 bytes
// stdout: block 3: 4 bytes
// stdout: 4 blocks, 72 bytes
// exec: -p 4 -b 8 -q 1 -m 1 -g 20 data
// exec: -p 3 -g 0 data
// stdout: 0 blocks, 0 bytes
// exec: -p 2 nosuchfile
// stderr: cannot open
// exit: 1
// exec: -b 0 data
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAX_WORKERS 64

struct block {
    long number;
    unsigned char *bytes;
    size_t length;
};

struct queue {
    struct block **slot;
    int size, head, tail, is_full, is_empty;
    pthread_mutex_t *lock;
    pthread_cond_t *not_full, *not_empty;
};

struct packed {
    unsigned char *bytes;
    size_t length;
};

static struct packed *output;
static long blocks, next_to_write;
static pthread_mutex_t output_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t room = PTHREAD_COND_INITIALIZER;

static pthread_mutex_t done_lock = PTHREAD_MUTEX_INITIALIZER;
static int is_reader_done, has_failed;

static int workers = 2, queue_size = 4, ahead = 8;
static size_t block_size = 64;
static FILE *input;

static int make_file(const char *name, long bytes)
{
    FILE *f = fopen(name, "wb");
    if (!f)
        return 0;
    for (long i = 0; i < bytes; i++)
        fputc("abrac"[i / 6 % 5], f);
    return fclose(f) == 0;
}

static int get(const int *flag)
{
    pthread_mutex_lock(&done_lock);
    int value = *flag;
    pthread_mutex_unlock(&done_lock);
    return value;
}

static void set(int *flag)
{
    pthread_mutex_lock(&done_lock);
    *flag = 1;
    pthread_mutex_unlock(&done_lock);
}

static struct timespec in_a_moment(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += 20000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    return t;
}

static struct queue *queue_new(int size)
{
    struct queue *q = malloc(sizeof *q);
    if (!q)
        return NULL;
    q->slot = calloc(size, sizeof *q->slot);
    q->lock = malloc(sizeof *q->lock);
    q->not_full = malloc(sizeof *q->not_full);
    q->not_empty = malloc(sizeof *q->not_empty);
    if (!q->slot || !q->lock || !q->not_full || !q->not_empty)
        return NULL;
    q->size = size;
    q->head = q->tail = 0;
    q->is_empty = 1;
    q->is_full = 0;
    pthread_mutex_init(q->lock, NULL);
    pthread_cond_init(q->not_full, NULL);
    pthread_cond_init(q->not_empty, NULL);
    return q;
}

static void queue_free(struct queue *q)
{
    pthread_mutex_destroy(q->lock);
    pthread_cond_destroy(q->not_full);
    pthread_cond_destroy(q->not_empty);
    free(q->lock);
    free(q->not_full);
    free(q->not_empty);
    free(q->slot);
    free(q);
}

static void queue_add(struct queue *q, struct block *b)
{
    q->slot[q->tail] = b;
    if (++q->tail == q->size)
        q->tail = 0;
    if (q->tail == q->head)
        q->is_full = 1;
    q->is_empty = 0;
}

static struct block *queue_take(struct queue *q)
{
    struct block *b = q->slot[q->head];
    if (++q->head == q->size)
        q->head = 0;
    if (q->head == q->tail)
        q->is_empty = 1;
    q->is_full = 0;
    return b;
}

// Two bytes for each run. Returns the length.
static size_t pack(const unsigned char *from, size_t length, unsigned char *to)
{
    size_t at = 0;
    for (size_t i = 0; i < length;) {
        size_t run = 1;
        while (i + run < length && run < 255 && from[i + run] == from[i])
            run++;
        to[at++] = (unsigned char)run;
        to[at++] = from[i];
        i += run;
    }
    return at;
}

static void fail(const char *what)
{
    fprintf(stderr, "pzip: %s\n", what);
    set(&has_failed);
}

static void read_blocks(struct queue *q)
{
    for (long number = 0; number < blocks && !get(&has_failed); number++) {
        struct block *b = malloc(sizeof *b);
        if (b)
            b->bytes = malloc(block_size);
        if (!b || !b->bytes) {
            fail("out of memory");
            break;
        }
        b->number = number;
        b->length = fread(b->bytes, 1, block_size, input);
        if (b->length == 0) {
            fail("the file is shorter than it was");
            break;
        }
        pthread_mutex_lock(q->lock);
        while (q->is_full && !get(&has_failed))
            pthread_cond_wait(q->not_full, q->lock);
        if (q->is_full) {
            pthread_mutex_unlock(q->lock);
            break;
        }
        queue_add(q, b);
        pthread_cond_signal(q->not_empty);
        pthread_mutex_unlock(q->lock);
    }
    set(&is_reader_done);
    pthread_cond_broadcast(q->not_empty);
}

static void *worker(void *arg)
{
    struct queue *q = arg;
    for (;;) {
        struct block *b = NULL;
        pthread_mutex_lock(q->lock);
        for (;;) {
            if (!q->is_empty) {
                b = queue_take(q);
                break;
            }
            if (get(&is_reader_done) || get(&has_failed)) {
                pthread_mutex_unlock(q->lock);
                return NULL;
            }
            struct timespec until = in_a_moment();
            pthread_cond_timedwait(q->not_empty, q->lock, &until);
        }
        pthread_cond_signal(q->not_full);
        pthread_mutex_unlock(q->lock);

        unsigned char *bytes = malloc(2 * b->length);
        if (!bytes) {
            fail("out of memory");
            pthread_mutex_lock(q->lock); // whoever has not seen the failure waits by now
            pthread_cond_broadcast(q->not_full);
            pthread_mutex_unlock(q->lock);
            return NULL;
        }
        size_t length = pack(b->bytes, b->length, bytes);

        pthread_mutex_lock(&output_lock);
        while (b->number - next_to_write >= ahead && !get(&has_failed)) {
            struct timespec until = in_a_moment();
            pthread_cond_timedwait(&room, &output_lock, &until);
        }
        output[b->number].bytes = bytes;
        output[b->number].length = length;
        pthread_mutex_unlock(&output_lock);
        free(b->bytes);
        free(b);
    }
}

static void *writer(void *unused)
{
    (void)unused;
    size_t total = 0;
    long number = 0;
    while (number < blocks && !get(&has_failed)) {
        pthread_mutex_lock(&output_lock);
        struct packed p = output[number];
        pthread_mutex_unlock(&output_lock);
        if (!p.bytes) {
            usleep(1000);
            continue;
        }
        printf("block %ld: %zu bytes\n", number, p.length);
        total += p.length;
        free(p.bytes);
        number++;
        pthread_mutex_lock(&output_lock);
        next_to_write = number;
        pthread_cond_broadcast(&room);
        pthread_mutex_unlock(&output_lock);
    }
    printf("%ld blocks, %zu bytes\n", number, total);
    return NULL;
}

static int usage(void)
{
    fprintf(stderr, "usage: pzip [-p WORKERS] [-b BLOCK] [-q SIZE] [-m AHEAD] [-g BYTES] FILE\n");
    return 2;
}

int main(int argc, char **argv)
{
    pthread_t threads[MAX_WORKERS], writing;
    long bytes = -1;
    int c;
    while ((c = getopt(argc, argv, "p:b:q:m:g:")) != -1)
        switch (c) {
        case 'p': workers = atoi(optarg); break;
        case 'b': block_size = atoi(optarg); break;
        case 'q': queue_size = atoi(optarg); break;
        case 'm': ahead = atoi(optarg); break;
        case 'g': bytes = atol(optarg); break;
        default: return usage();
        }
    if (workers < 1 || workers > MAX_WORKERS || block_size < 1 || queue_size < 1 || ahead < 1 || optind + 1 != argc)
        return usage();
    if (bytes >= 0 && !make_file(argv[optind], bytes)) {
        fprintf(stderr, "pzip: cannot make %s\n", argv[optind]);
        return 1;
    }
    struct stat s;
    input = fopen(argv[optind], "rb");
    if (!input || fstat(fileno(input), &s) != 0) {
        fprintf(stderr, "pzip: cannot open %s\n", argv[optind]);
        return 1;
    }
    blocks = (s.st_size + block_size - 1) / block_size;
    output = calloc(blocks > 0 ? blocks : 1, sizeof *output);
    struct queue *q = queue_new(queue_size);
    if (!output || !q) {
        fprintf(stderr, "pzip: out of memory\n");
        return 1;
    }
    if (pthread_create(&writing, NULL, writer, NULL) != 0) {
        fprintf(stderr, "pzip: cannot start a thread\n");
        return 1;
    }
    for (int i = 0; i < workers; i++)
        if (pthread_create(&threads[i], NULL, worker, q) != 0) {
            fprintf(stderr, "pzip: cannot start a thread\n");
            exit(1);
        }
    read_blocks(q);
    for (int i = 0; i < workers; i++)
        pthread_join(threads[i], NULL);
    pthread_join(writing, NULL);
    queue_free(q);
    fclose(input);
    return has_failed;
}
