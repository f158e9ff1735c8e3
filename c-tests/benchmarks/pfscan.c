// pfscan's benchmark as Bergan had it: a grep whose main thread walks trees with ftw(), which calls back for each file, and
// whose workers take the names out of a bounded queue, map the files and search them by the rule of Boyer and Moore. What is
// found is counted under one lock and printed under another, errors are told only if -v says so, and nobody joins the
// workers, but main waits until the last one has gone.
//
// Usage: pfscan [-n WORKERS] [-L COLUMNS] [-l] [-i] [-v] [-d NAME] TEXT PATH...; -l prints the lines that have the text, -L no
// more than so many characters of each, -i takes letters for the same that differ in case only, -d first makes a directory
// with some files.
//
// The text is looked for at each place of a file whose size nobody knows: so each time goes on to the next is an epoch.
// run: enumerate -- -n 1 text missing
// expect: epochs=11 complete=true deadlocked=0 max_live_threads=2
// run: enumerate -- -n 1 -L @ -- @ @
// expect: epochs=11 complete=true deadlocked=0 max_live_threads=2
// exec: -n 2 -l -d tree longer tree
// stdout: tree/deep/three:19: the end of a longer file, which has it at its very end: ab
// stdout: 4 files, 127 bytes, 1 matches
// exec: -n 1 -i -l -d tree BRA tree/one
// stdout: tree/one:0: abrac abra
// stdout: tree/one:0: abrac abra
// stdout: tree/one:11: cad abra abab
// stdout: 1 files, 25 bytes, 3 matches
// exec: -n 1 -L 3 -d tree bra tree/one
// stdout: tree/one:1: bra
// stdout: tree/one:7: bra
// stdout: tree/one:16: bra
// stdout: 1 files, 25 bytes, 3 matches
// exec: -n 3 x nowhere
// stdout: 0 files, 0 bytes, 0 matches
// stderr: nowhere
// exec: -n 0 x .
// exit: 2
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct names {
    char **name;
    int places, first, last, count, is_complete;
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
};

struct text {
    unsigned char *letters;
    int length;
    unsigned char same[256]; // what a letter counts as
    int move[256];           // how far the text moves if this letter is below its end
};

static struct names names;
static struct text text;
static int workers = 2, active, columns = 64, lines, ignore_case, verbose;
static const char *new_directory;
static long files, bytes, matches;
static pthread_mutex_t active_lock, matches_lock, output_lock;
static pthread_cond_t one_less;

static void names_init(struct names *q, int places)
{
    q->name = calloc(places, sizeof *q->name);
    q->places = places;
    q->first = q->last = q->count = q->is_complete = 0;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->not_empty, NULL);
    pthread_cond_init(&q->not_full, NULL);
}

static void names_end(struct names *q)
{
    pthread_mutex_lock(&q->lock);
    q->is_complete = 1;
    pthread_mutex_unlock(&q->lock);
    pthread_cond_broadcast(&q->not_empty);
}

static void names_put(struct names *q, char *name)
{
    pthread_mutex_lock(&q->lock);
    while (q->count >= q->places)
        pthread_cond_wait(&q->not_full, &q->lock);
    q->name[q->last] = name;
    q->last = (q->last + 1) % q->places;
    q->count++;
    pthread_mutex_unlock(&q->lock);
    pthread_cond_signal(&q->not_empty);
}

static int names_take(struct names *q, char **name)
{
    int is_taken = 0;
    pthread_mutex_lock(&q->lock);
    while (q->count <= 0 && !q->is_complete)
        pthread_cond_wait(&q->not_empty, &q->lock);
    if (q->count > 0) {
        *name = q->name[q->first];
        q->first = (q->first + 1) % q->places;
        q->count--;
        is_taken = 1;
        pthread_cond_signal(&q->not_full);
    }
    pthread_mutex_unlock(&q->lock);
    return is_taken;
}

static void text_init(struct text *t, const char *letters)
{
    for (int c = 0; c < 256; c++)
        t->same[c] = ignore_case ? tolower(c) : c;
    t->length = strlen(letters);
    t->letters = malloc(t->length + 1);
    for (int i = 0; i <= t->length; i++)
        t->letters[i] = t->same[(unsigned char)letters[i]];
    for (int c = 0; c < 256; c++)
        t->move[c] = t->length;
    for (int i = 0; i + 1 < t->length; i++)
        t->move[t->letters[i]] = t->length - 1 - i;
}

// Calls `found` for each place at which the text is.
static void search(const struct text *t, const unsigned char *data, size_t size, const char *path,
                   void (*found)(const char *path, const unsigned char *data, size_t size, size_t at))
{
    size_t at = 0;
    while (at + t->length <= size) {
        int i = t->length - 1;
        while (i >= 0 && t->letters[i] == t->same[data[at + i]])
            i--;
        if (i < 0) {
            found(path, data, size, at);
            at++;
        } else {
            at += t->move[t->same[data[at + t->length - 1]]];
        }
    }
}

static void print_match(const char *path, const unsigned char *data, size_t size, size_t at)
{
    pthread_mutex_lock(&matches_lock);
    matches++;
    pthread_mutex_unlock(&matches_lock);
    if (lines)
        while (at > 0 && data[at - 1] != '\n')
            at--;
    pthread_mutex_lock(&output_lock);
    printf("%s:%zu: ", path, at);
    for (int i = 0; i < columns && at < size && data[at] != '\n'; i++, at++)
        putchar(isprint(data[at]) ? data[at] : '.');
    putchar('\n');
    pthread_mutex_unlock(&output_lock);
}

static void fail(const char *what, const char *path)
{
    if (!verbose)
        return;
    pthread_mutex_lock(&output_lock);
    fprintf(stderr, "pfscan: %s: cannot %s: %s\n", path, what, strerror(errno));
    pthread_mutex_unlock(&output_lock);
}

static void scan(const char *path)
{
    struct stat about;
    int fd = open(path, O_RDONLY);
    if (fd < 0) {
        fail("open", path);
        return;
    }
    if (fstat(fd, &about) < 0) {
        fail("stat", path);
        close(fd);
        return;
    }
    size_t size = about.st_size;
    unsigned char *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) {
        fail("map", path);
        close(fd);
        return;
    }
    search(&text, data, size, path, print_match);
    munmap(data, size);
    close(fd);
}

static void *work(void *unused)
{
    char *path;
    while (names_take(&names, &path)) {
        scan(path);
        free(path);
    }
    pthread_mutex_lock(&active_lock);
    active--;
    pthread_mutex_unlock(&active_lock);
    pthread_cond_signal(&one_less);
    return unused;
}

static int visit(const char *path, const struct stat *about, int kind)
{
    switch (kind) {
    case FTW_F:
        files++;
        bytes += about->st_size;
        names_put(&names, strdup(path));
        return 0;
    case FTW_D: return 0;
    case FTW_DNR: fprintf(stderr, "pfscan: %s: cannot read directory\n", path); return 1;
    default: fprintf(stderr, "pfscan: %s: no file to read\n", path); return 1;
    }
}

static void write_file(const char *directory, const char *name, const char *content)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    if (!file || fputs(content, file) < 0 || fclose(file) != 0)
        fprintf(stderr, "pfscan: cannot write %s\n", path);
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
    while ((c = getopt(argc, argv, "n:L:d:liv")) != -1)
        switch (c) {
        case 'n': workers = atoi(optarg); break;
        case 'L': columns = atoi(optarg); break;
        case 'd': new_directory = optarg; break;
        case 'l': lines = 1; break;
        case 'i': ignore_case = 1; break;
        case 'v': verbose = 1; break;
        default: return 0;
        }
    return workers > 0 && optind < argc;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    pthread_attr_t detached;
    if (!options(argc, argv)) {
        fprintf(stderr, "usage: pfscan [-n WORKERS] [-L COLUMNS] [-l] [-i] [-v] [-d NAME] TEXT PATH...\n");
        return 2;
    }
    if (new_directory)
        make_files(new_directory);
    pthread_mutex_init(&active_lock, NULL);
    pthread_mutex_init(&matches_lock, NULL);
    pthread_mutex_init(&output_lock, NULL);
    pthread_cond_init(&one_less, NULL);
    text_init(&text, argv[optind]);
    names_init(&names, workers + 4);
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    active = workers;
    for (int i = 0; i < workers; i++)
        if (pthread_create(&thread, &detached, work, NULL) != 0) {
            fprintf(stderr, "pfscan: cannot start a worker\n");
            exit(1);
        }
    for (int i = optind + 1; i < argc; i++) {
        int end = ftw(argv[i], visit, 16);
        if (end < 0)
            fprintf(stderr, "pfscan: %s: %s\n", argv[i], strerror(errno));
        if (end != 0)
            break;
    }
    names_end(&names);
    pthread_mutex_lock(&active_lock);
    while (active > 0)
        pthread_cond_wait(&one_less, &active_lock);
    pthread_mutex_unlock(&active_lock);
    printf("%ld files, %ld bytes, %ld matches\n", files, bytes, matches);
    return 0;
}
