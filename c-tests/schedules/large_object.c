// An object of more than 3.75 GiB is nothing that icsched has: what comes of it is not known, and the result says so with size and place.
// Natively there is room for it, since most of it is never touched.
// run: enumerate -- @
// expect: complete=false deadlocked=0
// reason: an object of 4831838216 bytes (4.5 GiB)
// cflags: -DBY=1
// variants: -DBY=1, -DBY=2, -DBY=3, -DBY=4
// exec:
// exit: 3
// stderr: (4.5 GiB), more than 3.75 GiB, is not supported
// ignore-native: it takes more memory than a machine may have
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

struct big {
    char room[4831838208];
    long flag;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static double other = 0.02;
double *keep = &other;

static struct big *make(size_t size)
{
#if BY == 1
    return malloc(size);
#elif BY == 2
    return calloc(1, size);
#elif BY == 3
    return realloc(malloc(8), size);
#else
    void *p;
    return posix_memalign(&p, 64, size) ? NULL : p;
#endif
}

int main(int argc, char **argv)
{
    struct big *volatile b = make(sizeof *b);
    if (!b)
        return 1;
    b->flag = 1;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    free(b);
    return argc > 100;
}
