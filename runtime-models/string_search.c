/* Searching and splitting strings; error messages. Symbolic bytes are branched on here: each result is a position. */
#include "ics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ics_string.h"

static int in_set(const char *set, char c) {
    for (; *set; set++)
        if (*set == c) return 1;
    return 0;
}

size_t strspn(const char *s, const char *accept) {
    size_t n = 0;
    while (s[n] && in_set(accept, s[n])) n++;
    return n;
}

size_t strcspn(const char *s, const char *reject) {
    size_t n = 0;
    while (s[n] && !in_set(reject, s[n])) n++;
    return n;
}

char *strpbrk(const char *s, const char *accept) {
    s += strcspn(s, accept);
    return *s ? (char *)s : 0;
}

char *strstr(const char *s, const char *wanted) {
    size_t n = strlen(wanted);
    for (;; s++) {
        if (strncmp(s, wanted, n) == 0) return (char *)s;
        if (*s == 0) return 0;
    }
}

char *strcasestr(const char *s, const char *wanted) {
    size_t n = strlen(wanted);
    for (;; s++) {
        if (strncasecmp(s, wanted, n) == 0) return (char *)s;
        if (*s == 0) return 0;
    }
}

void *memmem(const void *in, size_t size, const void *wanted, size_t n) {
    const char *p = in;
    if (n > size) return 0;
    for (size_t i = 0; i + n <= size; i++)
        if (memcmp(p + i, wanted, n) == 0) return (void *)(p + i);
    return 0;
}

char *strtok_r(char *s, const char *separators, char **rest) {
    if (!s) s = *rest;
    if (!s) return 0;
    s += strspn(s, separators);
    if (!*s) {
        *rest = s;
        return 0;
    }
    char *end = s + strcspn(s, separators);
    if (*end) *end++ = 0;
    *rest = end;
    return s;
}

char *__strtok_r(char *s, const char *separators, char **rest) {
    return strtok_r(s, separators, rest);
}

char *strtok(char *s, const char *separators) {
    static char *rest;
    return strtok_r(s, separators, &rest);
}

char *strsep(char **s, const char *separators) {
    char *start = *s;
    if (!start) return 0;
    char *end = start + strcspn(start, separators);
    if (*end) {
        *end = 0;
        *s = end + 1;
    } else {
        *s = 0;
    }
    return start;
}

/* The part after the last slash; the path is not changed. */
char *ics_gnu_basename(const char *path) __asm__("basename");
char *ics_gnu_basename(const char *path) {
    const char *slash = strrchr(path, '/');
    return (char *)(slash ? slash + 1 : path);
}

static void strip_slashes(char *path, char *end) {
    while (end > path + 1 && end[-1] == '/') *--end = 0;
}

char *__xpg_basename(char *path) {
    if (!path || !*path) return ".";
    strip_slashes(path, path + strlen(path));
    char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

char *dirname(char *path) {
    if (!path || !*path) return ".";
    strip_slashes(path, path + strlen(path));
    char *slash = strrchr(path, '/');
    if (!slash) return ".";
    if (slash == path) {
        path[1] = 0;
        return path;
    }
    *slash = 0;
    strip_slashes(path, slash);
    return path;
}
