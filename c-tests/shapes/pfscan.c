// The parallel structure of pfscan, a parallel grep: main walks directories and puts the names of files into a bounded queue
// (a mutex, two condition variables, a flag that says that nothing more comes); workers take names out and scan the files.
// Locks guard what is printed and counted, and main waits until the count of active workers is zero.
//
// Usage: pfscan [-w WORKERS] [-q SIZE] [-m MATCHES] [-v] [-c] [-d NAME] TEXT PATH...; -m ends the scan of a file after some
// matches, -v says what is done, -c prints totals only, -d first makes a directory with some files.
//
// A file of three bytes has one match or none.
// run: enumerate --without epochs --sym-file f=3 -- -w 2 ab f
// expect: epochs=1 schedules=2 complete=true deadlocked=0 max_live_threads=3
// exec: -w 2 -c -d tree ab tree
// stdout: 4 files, 127 bytes, 14 matches
// exec: -w 3 -q 1 -c -m 2 -d tree ab tree/one tree/deep tree/missing
// stderr: missing
// stdout: 3 files, 102 bytes, 4 matches
// exec: -w 1 -d tree bra tree/one
// stdout: tree/one:1
// stdout: tree/one:7
// stdout: tree/one:16
// stdout: 1 files, 25 bytes, 3 matches
// exec: -w 9999 x .
// exit: 2
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_WORKERS 64

struct pqueue {
    char **slot;
    int size, occupied, next_in, next_out, closed;
    pthread_mutex_t lock;
    pthread_cond_t more, less;
};

static struct pqueue queue;
static pthread_mutex_t print_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t matches_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t worker_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t worker_done = PTHREAD_COND_INITIALIZER;
static int active_workers;
static int workers = 2, queue_size = 4, max_matches, verbose, count_only;
static long files, bytes, matches;
static const char *wanted, *new_directory;
static size_t wanted_length, shift[256];

static int pqueue_init(struct pqueue *q, int size)
{
    q->slot = calloc(size, sizeof *q->slot);
    if (!q->slot)
        return -1;
    q->size = size;
    q->occupied = q->next_in = q->next_out = q->closed = 0;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->more, NULL);
    pthread_cond_init(&q->less, NULL);
    return 0;
}

static void pqueue_close(struct pqueue *q)
{
    pthread_mutex_lock(&q->lock);
    q->closed = 1;
    pthread_mutex_unlock(&q->lock);
    pthread_cond_broadcast(&q->more);
}

static int pqueue_put(struct pqueue *q, char *item)
{
    pthread_mutex_lock(&q->lock);
    if (q->closed) {
        pthread_mutex_unlock(&q->lock);
        return 0;
    }
    while (q->occupied >= q->size)
        pthread_cond_wait(&q->less, &q->lock);
    q->slot[q->next_in++] = item;
    q->next_in %= q->size;
    q->occupied++;
    pthread_mutex_unlock(&q->lock);
    pthread_cond_signal(&q->more);
    return 1;
}

static int pqueue_get(struct pqueue *q, char **item)
{
    int got = 0;
    pthread_mutex_lock(&q->lock);
    while (q->occupied <= 0 && !q->closed)
        pthread_cond_wait(&q->more, &q->lock); //~ get
    if (q->occupied > 0) {
        *item = q->slot[q->next_out++];
        q->next_out %= q->size;
        q->occupied--;
        got = 1;
        pthread_mutex_unlock(&q->lock);
        pthread_cond_signal(&q->less);
    } else {
        pthread_mutex_unlock(&q->lock);
    }
    return got;
}

static void say(const char *what, const char *path)
{
    pthread_mutex_lock(&print_lock);
    fprintf(stderr, "pfscan: %s: %s\n", path, what);
    pthread_mutex_unlock(&print_lock);
}

// Horspool's rule: what stands below the text's last character says how far it can move.
static void prepare(const char *text)
{
    wanted = text;
    wanted_length = strlen(text);
    for (int c = 0; c < 256; c++)
        shift[c] = wanted_length;
    for (size_t i = 0; i + 1 < wanted_length; i++)
        shift[(unsigned char)text[i]] = wanted_length - 1 - i;
}

static const char *find(const char *from, const char *end)
{
    while ((size_t)(end - from) >= wanted_length) {
        if (memcmp(from, wanted, wanted_length) == 0)
            return from;
        from += shift[(unsigned char)from[wanted_length - 1]];
    }
    return NULL;
}

static int scan_bytes(const char *path, const char *start, size_t size)
{
    int found = 0;
    const char *end = start + size;
    for (const char *at = find(start, end); at; at = find(at + 1, end)) {
        found++;
        pthread_mutex_lock(&matches_lock);
        matches++;
        pthread_mutex_unlock(&matches_lock);
        if (!count_only) {
            pthread_mutex_lock(&print_lock);
            printf("%s:%ld\n", path, (long)(at - start));
            pthread_mutex_unlock(&print_lock);
        }
        if (max_matches && found >= max_matches)
            break;
    }
    return found;
}

static int scan_file(const char *path)
{
    struct stat about;
    int fd = open(path, O_RDONLY);
    if (fd < 0) {
        say("cannot open", path);
        return -1;
    }
    if (fstat(fd, &about) < 0) {
        say("cannot stat", path);
        close(fd);
        return -1;
    }
    int found = 0;
    if (about.st_size > 0) {
        char *start = mmap(NULL, about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (start == MAP_FAILED) {
            say("cannot map", path);
            close(fd);
            return -1;
        }
        found = scan_bytes(path, start, about.st_size);
        munmap(start, about.st_size);
    }
    close(fd);
    pthread_mutex_lock(&matches_lock);
    files++;
    bytes += about.st_size;
    pthread_mutex_unlock(&matches_lock);
    return found;
}

static void *worker(void *arg)
{
    char *path;
    while (pqueue_get(&queue, &path)) {
        if (verbose)
            say("scanning", path);
        scan_file(path); //~ scan
        free(path);
    }
    pthread_mutex_lock(&worker_lock);
    active_workers--;
    pthread_cond_signal(&worker_done);
    pthread_mutex_unlock(&worker_lock);
    return arg;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void walk(const char *path)
{
    struct stat about;
    struct dirent **entries;
    if (lstat(path, &about) < 0) {
        say("no such file", path);
    } else if (S_ISREG(about.st_mode)) {
        pqueue_put(&queue, strdup(path)); //~ enqueue
    } else if (S_ISDIR(about.st_mode)) {
        int n = scandir(path, &entries, NULL, by_name);
        for (int i = 0; i < n; i++) {
            char below[4096];
            if (strcmp(entries[i]->d_name, ".") != 0 && strcmp(entries[i]->d_name, "..") != 0 &&
                snprintf(below, sizeof below, "%s/%s", path, entries[i]->d_name) < (int)sizeof below)
                walk(below);
            free(entries[i]);
        }
        if (n >= 0)
            free(entries);
        else
            say("cannot read", path);
    }
}

static void write_file(const char *directory, const char *name, const char *content)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    if (!file || fputs(content, file) < 0 || fclose(file) != 0)
        say("cannot write", path);
}

static void make_files(const char *directory)
{
    char deep[256];
    snprintf(deep, sizeof deep, "%s/deep", directory);
    mkdir(directory, 0755);
    mkdir(deep, 0755);
    write_file(directory, "one", "abrac abra\ncad abra abab\n");
    write_file(directory, "two", "nothing of the kind here\n");
    write_file(deep, "three", "abababababab ababa\nthe end of a longer file, which has it at its very end: ab");
    write_file(deep, "empty", "");
}

static int options(int argc, char **argv)
{
    int c;
    while ((c = getopt(argc, argv, "w:q:m:d:vc")) != -1)
        switch (c) {
        case 'w': workers = atoi(optarg); break;
        case 'q': queue_size = atoi(optarg); break;
        case 'm': max_matches = atoi(optarg); break;
        case 'd': new_directory = optarg; break;
        case 'v': verbose = 1; break;
        case 'c': count_only = 1; break;
        default: return 0;
        }
    return workers > 0 && workers <= MAX_WORKERS && queue_size > 0 && optind < argc && argv[optind][0];
}

int main(int argc, char **argv)
{
    pthread_t thread;
    pthread_attr_t detached;
    if (!options(argc, argv)) {
        fprintf(stderr, "usage: pfscan [-w WORKERS] [-q SIZE] [-m MATCHES] [-v] [-c] [-d NAME] TEXT PATH...\n");
        return 2;
    }
    if (new_directory)
        make_files(new_directory);
    prepare(argv[optind]);
    if (pqueue_init(&queue, queue_size) < 0) {
        fprintf(stderr, "pfscan: out of memory\n");
        return 1;
    }
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    active_workers = workers;
    for (int i = 0; i < workers; i++)
        if (pthread_create(&thread, &detached, worker, NULL) != 0) {
            fprintf(stderr, "pfscan: cannot start a worker\n");
            return 1;
        }
    for (int i = optind + 1; i < argc; i++)
        walk(argv[i]);
    pqueue_close(&queue);
    pthread_mutex_lock(&worker_lock);
    while (active_workers > 0)
        pthread_cond_wait(&worker_done, &worker_lock);
    pthread_mutex_unlock(&worker_lock);
    printf("%ld files, %ld bytes, %ld matches\n", files, bytes, matches);
    return 0;
}
