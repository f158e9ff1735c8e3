/* qsort as glibc has it: a top-down merge sort that takes from the left half when elements are equal. The order in
 * which the program's comparison is called is the same, so one that prints or counts behaves the same. */
#include "ics.h"

#include <stdlib.h>

typedef int (*comparison)(const void *, const void *, void *);

struct sort {
    size_t size;
    comparison compare;
    void *argument;
    char *spare;
};

/* One after the other: where nobody knows how many there are, nobody need ask. */
static void copy(char *to, const char *from, size_t n, size_t size) {
    for (size_t i = 0; i < n; i++) __ics_memcpy(to + i * size, from + i * size, size);
}

static void merge_sort(const struct sort *s, char *base, size_t n) {
    if (n <= 1) return;
    size_t left = n / 2, right = n - left;
    char *a = base, *b = base + left * s->size, *out = s->spare;
    merge_sort(s, a, left);
    merge_sort(s, b, right);
    while (left > 0 && right > 0) {
        if (s->compare(a, b, s->argument) <= 0) {
            __ics_memcpy(out, a, s->size);
            a += s->size;
            left--;
        } else {
            __ics_memcpy(out, b, s->size);
            b += s->size;
            right--;
        }
        out += s->size;
    }
    if (left > 0) copy(out, a, left, s->size);
    copy(base, s->spare, n - right, s->size);
}

void qsort_r(void *base, size_t n, size_t size, comparison compare, void *argument) {
    if (n <= 1 || size == 0) return;
    struct sort s = {size, compare, argument, __ics_malloc(n * size, 0)};
    merge_sort(&s, base, n);
    __ics_free(s.spare);
}

static int without_argument(const void *a, const void *b, void *compare) {
    return (*(int (**)(const void *, const void *))compare)(a, b);
}

void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *)) {
    qsort_r(base, n, size, without_argument, &compare);
}
