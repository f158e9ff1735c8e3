/* Memory allocation, process end, environment, sorting and the small arithmetic of stdlib.h. */
#include "ics.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ics_memory.h"
#include "ics_stdio.h"

static void *allocate(size_t size, int zeroed) {
    void *p = __ics_malloc(size, zeroed);
    if (!p) errno = ENOMEM;
    return p;
}

void *malloc(size_t size) {
    return allocate(size, 0);
}

void *calloc(size_t n, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        errno = ENOMEM;
        return 0;
    }
    return allocate(bytes, 1);
}

void free(void *p) {
    __ics_check_family(p, ICS_BY_FREE);
    __ics_free(p);
}

void cfree(void *p) {
    free(p);
}

void *realloc(void *p, size_t size) {
    if (!p) return allocate(size, 0);
    __ics_check_family(p, ICS_BY_FREE);
    size_t old = __ics_object_size(p);
    if (size == 0) {
        __ics_free(p);
        return 0;
    }
    void *q = allocate(size, 0);
    if (!q) return 0;
    __ics_memcpy(q, p, ICS_MIN(old, size));
    __ics_free(p);
    return q;
}

void *reallocarray(void *p, size_t n, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        errno = ENOMEM;
        return 0;
    }
    return ics_shared_realloc(p, bytes);
}

/* Objects start at addresses that are aligned well enough for every alignment up to 64 KiB. */
int posix_memalign(void **p, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1))) return EINVAL;
    void *q = __ics_malloc(size, 0);
    if (!q) return ENOMEM;
    *p = q;
    return 0;
}

void *aligned_alloc(size_t alignment, size_t size) {
    return allocate(size, 0);
}

void *memalign(size_t alignment, size_t size) {
    return allocate(size, 0);
}

void *valloc(size_t size) {
    return allocate(size, 0);
}

size_t malloc_usable_size(void *p) {
    return p ? __ics_object_size(p) : 0;
}

/* --- the end of the process --- */

enum { ON_EXIT_MAX = 1024 };
static struct {
    void (*function)(void);
    void (*with_argument)(void *);
    void *argument;
} handlers[ON_EXIT_MAX];
static unsigned handler_count;

static int add_handler(void (*function)(void), void (*with_argument)(void *), void *argument) {
    if (handler_count == ON_EXIT_MAX) return -1;
    handlers[handler_count].function = function;
    handlers[handler_count].with_argument = with_argument;
    handlers[handler_count].argument = argument;
    handler_count++;
    return 0;
}

int atexit(void (*function)(void)) {
    return add_handler(function, 0, 0);
}

int __cxa_atexit(void (*function)(void *), void *argument, void *library) {
    return add_handler(0, function, argument);
}

_Noreturn void exit(int status) {
    while (handler_count) {
        unsigned i = --handler_count;
        if (handlers[i].function) handlers[i].function();
        else handlers[i].with_argument(handlers[i].argument);
    }
    void (*destructor)(void);
    for (int i = 0; (destructor = __ics_destructor(i)); i++) destructor();
    fflush(0);
    __ics_exit(status & 0xff);
}

_Noreturn void _exit(int status) {
    __ics_exit(status & 0xff);
}

_Noreturn void _Exit(int status) {
    __ics_exit(status & 0xff);
}

static void (*quick_handlers[ON_EXIT_MAX])(void);
static unsigned quick_count;

int at_quick_exit(void (*function)(void)) {
    if (quick_count == ON_EXIT_MAX) return -1;
    quick_handlers[quick_count++] = function;
    return 0;
}

_Noreturn void quick_exit(int status) {
    while (quick_count) quick_handlers[--quick_count]();
    __ics_exit(status & 0xff);
}

_Noreturn void abort(void) {
    __ics_abort();
}

/* --- arithmetic --- */

/* Without a branch; the least number is its own absolute value. */
static unsigned long magnitude(long x) {
    unsigned long sign = (unsigned long)(x >> 63);
    return ((unsigned long)x ^ sign) - sign;
}

int abs(int x) {
    return (int)magnitude(x);
}

long labs(long x) {
    return (long)magnitude(x);
}

long long llabs(long long x) {
    return (long long)magnitude(x);
}

div_t div(int a, int b) {
    return (div_t){a / b, a % b};
}

ldiv_t ldiv(long a, long b) {
    return (ldiv_t){a / b, a % b};
}

lldiv_t lldiv(long long a, long long b) {
    return (lldiv_t){a / b, a % b};
}

void *bsearch(const void *key, const void *base, size_t n, size_t size, int (*compare)(const void *, const void *)) {
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *p = (const char *)base + middle * size;
        int order = compare(key, p);
        if (order == 0) return (void *)p;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return 0;
}
