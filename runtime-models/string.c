/* Strings and memory. In the symbolic domain a length or a comparison of bytes that are not constants is computed
 * without branching on them (string_symbolic.c); the loops here see constants only. */
#include "ics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ics_memory.h"
#include "ics_string.h"

void *memcpy(void *to, const void *from, size_t n) {
    __ics_memcpy(to, from, n);
    return to;
}

void *mempcpy(void *to, const void *from, size_t n) {
    __ics_memcpy(to, from, n);
    return (char *)to + n;
}

void *memmove(void *to, const void *from, size_t n) {
    __ics_memmove(to, from, n);
    return to;
}

void bcopy(const void *from, void *to, size_t n) {
    __ics_memmove(to, from, n);
}

void *memset(void *to, int byte, size_t n) {
    __ics_memset(to, byte, n);
    return to;
}

void bzero(void *to, size_t n) {
    __ics_memset(to, 0, n);
}

void explicit_bzero(void *to, size_t n) {
    __ics_memset(to, 0, n);
}

void *memccpy(void *to, const void *from, int byte, size_t n) {
    const char *end = memchr(from, byte, n);
    size_t count = end ? (size_t)(end - (const char *)from) + 1 : n;
    __ics_memcpy(to, from, count);
    return end ? (char *)to + count : 0;
}

size_t strlen(const char *s) {
    if (ics_symbolic_string(s)) return ics_symbolic_strlen(s);
    size_t n = 0;
    while (s[n]) n++;
    return n;
}

size_t strnlen(const char *s, size_t limit) {
    if (__ics_is_symbolic_domain() && __ics_any_symbolic(s, ICS_MIN(limit, __ics_room(s))))
        return ics_symbolic_strnlen(s, limit);
    size_t n = 0;
    while (n < limit && s[n]) n++;
    return n;
}

char *stpcpy(char *to, const char *from) {
    if (ics_symbolic_string(from)) return to + ics_symbolic_strcpy(to, from);
    size_t n = strlen(from);
    __ics_memcpy(to, from, n + 1);
    return to + n;
}

char *__stpcpy(char *to, const char *from) {
    return stpcpy(to, from);
}

char *strcpy(char *to, const char *from) {
    stpcpy(to, from);
    return to;
}

char *stpncpy(char *to, const char *from, size_t n) {
    size_t length = strnlen(from, n);
    if (__ics_is_symbolic(length)) {
        ics_symbolic_strncpy(to, from, n);
        return to + length;
    }
    __ics_memcpy(to, from, length);
    __ics_memset(to + length, 0, n - length);
    return to + length;
}

char *strncpy(char *to, const char *from, size_t n) {
    stpncpy(to, from, n);
    return to;
}

char *strcat(char *to, const char *from) {
    stpcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *to, const char *from, size_t n) {
    char *end = to + strlen(to);
    size_t length = strnlen(from, n);
    __ics_memcpy(end, from, length);
    end[length] = 0;
    return to;
}

char *ics_text(const char *s, size_t length) {
    char *copy = malloc(length + 1);
    __ics_memcpy(copy, s, length);
    copy[length] = 0;
    return copy;
}

char *strndup(const char *s, size_t n) {
    size_t length = strnlen(s, n);
    size_t room = __ics_is_symbolic(length) ? ICS_MIN(n, ics_strlen_bound(s)) : length;
    char *copy = ics_shared_malloc(room + 1);
    if (!copy) return 0;
    __ics_memcpy(copy, s, room);
    copy[length] = 0;
    return copy;
}

char *strdup(const char *s) {
    size_t size = (ics_symbolic_string(s) ? ics_strlen_bound(s) : strlen(s)) + 1;
    char *copy = ics_shared_malloc(size);
    if (copy) __ics_memcpy(copy, s, size);
    return copy;
}

char *__strdup(const char *s) {
    return strdup(s);
}

int memcmp(const void *a, const void *b, size_t n) {
    const unsigned char *x = a, *y = b;
    if (__ics_is_symbolic_domain() &&
        (__ics_is_symbolic(n) || __ics_any_symbolic(a, n) || __ics_any_symbolic(b, n)))
        return ics_symbolic_compare(a, b, n, ICS_COMPARE_MEMORY);
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i]) return x[i] - y[i];
    return 0;
}

int bcmp(const void *a, const void *b, size_t n) {
    return memcmp(a, b, n);
}

static int compare(const char *a, const char *b, size_t n, int fold) {
    if (ics_symbolic_string(a) || ics_symbolic_string(b))
        return ics_symbolic_compare(a, b, n, fold ? ICS_COMPARE_FOLDED : ICS_COMPARE_STRING);
    for (size_t i = 0; i < n; i++) {
        int x = (unsigned char)a[i], y = (unsigned char)b[i];
        if (fold) x = ics_fold(x), y = ics_fold(y);
        if (x != y) return x - y;
        if (x == 0) break;
    }
    return 0;
}

int strcmp(const char *a, const char *b) {
    return compare(a, b, (size_t)-1, 0);
}

int strncmp(const char *a, const char *b, size_t n) {
    return n == 0 ? 0 : compare(a, b, n, 0);
}

int strcasecmp(const char *a, const char *b) {
    return compare(a, b, (size_t)-1, 1);
}

int strncasecmp(const char *a, const char *b, size_t n) {
    return n == 0 ? 0 : compare(a, b, n, 1);
}

int strcoll(const char *a, const char *b) {
    return strcmp(a, b);
}

size_t strxfrm(char *to, const char *from, size_t n) {
    size_t length = strlen(from);
    if (length < n) strcpy(to, from);
    return length;
}

void *memchr(const void *s, int byte, size_t n) {
    const unsigned char *p = s;
    if (__ics_is_symbolic_domain() && (__ics_is_symbolic((unsigned char)byte) || __ics_any_symbolic(s, n)))
        return ics_symbolic_memchr(s, byte, n);
    for (size_t i = 0; i < n; i++)
        if (p[i] == (unsigned char)byte) return (void *)(p + i);
    return 0;
}

void *rawmemchr(const void *s, int byte) {
    const unsigned char *p = s;
    while (*p != (unsigned char)byte) p++;
    return (void *)p;
}

void *memrchr(const void *s, int byte, size_t n) {
    const unsigned char *p = s;
    while (n-- > 0)
        if (p[n] == (unsigned char)byte) return (void *)(p + n);
    return 0;
}

char *strchrnul(const char *s, int c) {
    if (ics_symbolic_string(s) || __ics_is_symbolic((unsigned char)c)) {
        char *found = ics_symbolic_strchr(s, c);
        return ICS_SELECT_PTR(found != 0, found, s + strlen(s));
    }
    while (*s && *s != (char)c) s++;
    return (char *)s;
}

char *strchr(const char *s, int c) {
    if (ics_symbolic_string(s) || __ics_is_symbolic((unsigned char)c)) return ics_symbolic_strchr(s, c);
    for (;; s++) {
        if (*s == (char)c) return (char *)s;
        if (*s == 0) return 0;
    }
}

char *index(const char *s, int c) {
    return strchr(s, c);
}

char *strrchr(const char *s, int c) {
    if (ics_symbolic_string(s) || __ics_is_symbolic((unsigned char)c)) return ics_symbolic_strrchr(s, c);
    const char *found = 0;
    for (;; s++) {
        if (*s == (char)c) found = s;
        if (*s == 0) return (char *)found;
    }
}

char *rindex(const char *s, int c) {
    return strrchr(s, c);
}
