// The program replaces malloc and free. What the library makes for the program comes of its malloc, since the program frees it; what the
// library needs for itself does not.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// ends: exit
// exec:
// exec: x
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct header {
    size_t size;
    long used;
};

static char pool[1 << 16];
static size_t at;
static int live;

void *malloc(size_t n)
{
    struct header *h = (struct header *)(pool + at);
    n = (n + 15) & ~(size_t)15;
    if (at + sizeof *h + n > sizeof pool)
        return NULL;
    at += sizeof *h + n;
    h->size = n;
    h->used = 1;
    live++;
    return h + 1;
}

void free(void *p)
{
    if (!p)
        return;
    struct header *h = (struct header *)p - 1;
    if (!h->used)
        abort();
    h->used = 0;
    live--;
}

void *calloc(size_t n, size_t size)
{
    void *p = malloc(n * size);
    return p ? memset(p, 0, n * size) : NULL;
}

void *realloc(void *p, size_t n)
{
    void *q = malloc(n);
    if (p && q)
        memcpy(q, p, ((struct header *)p - 1)->size < n ? ((struct header *)p - 1)->size : n);
    free(p);
    return q;
}

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
    pthread_mutex_lock(&m);
    char *copy = strdup("copied");
    int before = live;
    free(copy);
    pthread_mutex_unlock(&m);
    return (void *)(long)(before - live);
}

int main(int argc, char **argv)
{
    pthread_t t;
    void *freed;
    char *words = strndup("twelve words", 6), *text = NULL;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, &freed);
    if (asprintf(&text, "%s %d", words, argc > 5) < 0)
        return 1;
    int own = text >= pool && text < pool + sizeof pool && words >= pool && words < pool + sizeof pool;
    printf("%s %ld %d\n", text, (long)freed, own);
    free(words);
    free(text);
    return 0;
}
