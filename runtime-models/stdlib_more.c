/* The rarer functions of stdlib.h and malloc.h. */
#include "ics.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value of a word's suboption, and which word it is. */
int getsubopt(char **options, char *const *words, char **value) {
    char *start = *options;
    *value = 0;
    if (!*start) return -1;
    char *end = strchrnul(start, ',');
    char *equals = memchr(start, '=', (size_t)(end - start));
    *options = *end ? end + 1 : end;
    *end = 0;
    size_t n = (size_t)((equals ? equals : end) - start);
    for (int i = 0; words[i]; i++) {
        if (strncmp(start, words[i], n) || words[i][n]) continue;
        *value = equals ? equals + 1 : 0;
        return i;
    }
    *value = start;
    return -1;
}

/* Tuning and statistics of an allocator that there is not. */
int mallopt(int parameter, int value) {
    return 1;
}

int malloc_trim(size_t kept) {
    return 0;
}

void malloc_stats(void) {
}

struct mallinfo mallinfo(void) {
    return (struct mallinfo){0};
}

struct mallinfo2 mallinfo2(void) {
    return (struct mallinfo2){0};
}

void *pvalloc(size_t size) {
    return malloc((size + 4095) & ~4095ul);
}

char *gcvt(double value, int n, char *to) {
    sprintf(to, "%.*g", n > 17 ? 17 : n, value);
    return to;
}

/* --- text in base 64 --- */

static const char symbols[] = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

long a64l(const char *s) {
    unsigned value = 0;
    for (int i = 0; i < 6 && s[i]; i++) {
        const char *p = strchr(symbols, s[i]);
        if (!p) break;
        value |= (unsigned)(p - symbols) << 6 * i;
    }
    return (int)value;
}

char *l64a(long value) {
    static char text[7];
    int n = 0;
    for (unsigned rest = (unsigned)value; rest; rest >>= 6) text[n++] = symbols[rest & 63];
    text[n] = 0;
    return text;
}
