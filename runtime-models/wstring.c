/* Wide strings. */
#include "ics.h"

#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>

#include "ics_memory.h"

size_t wcslen(const wchar_t *s) {
    size_t n = 0;
    while (s[n]) n++;
    return n;
}

size_t wcsnlen(const wchar_t *s, size_t limit) {
    size_t n = 0;
    while (n < limit && s[n]) n++;
    return n;
}

wchar_t *wmemcpy(wchar_t *to, const wchar_t *from, size_t n) {
    __ics_memcpy(to, from, n * sizeof *to);
    return to;
}

wchar_t *wmempcpy(wchar_t *to, const wchar_t *from, size_t n) {
    return wmemcpy(to, from, n) + n;
}

wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t n) {
    __ics_memmove(to, from, n * sizeof *to);
    return to;
}

wchar_t *wmemset(wchar_t *to, wchar_t c, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] = c;
    return to;
}

wchar_t *wcscpy(wchar_t *to, const wchar_t *from) {
    return wmemcpy(to, from, wcslen(from) + 1);
}

wchar_t *wcpcpy(wchar_t *to, const wchar_t *from) {
    size_t n = wcslen(from);
    wmemcpy(to, from, n + 1);
    return to + n;
}

wchar_t *wcsncpy(wchar_t *to, const wchar_t *from, size_t n) {
    size_t kept = wcsnlen(from, n);
    wmemcpy(to, from, kept);
    wmemset(to + kept, 0, n - kept);
    return to;
}

wchar_t *wcscat(wchar_t *to, const wchar_t *from) {
    wcscpy(to + wcslen(to), from);
    return to;
}

wchar_t *wcsncat(wchar_t *to, const wchar_t *from, size_t n) {
    wchar_t *end = to + wcslen(to);
    size_t kept = wcsnlen(from, n);
    wmemcpy(end, from, kept);
    end[kept] = 0;
    return to;
}

wchar_t *wcsdup(const wchar_t *s) {
    size_t n = wcslen(s) + 1;
    wchar_t *copy = ics_shared_malloc(n * sizeof *copy);
    return copy ? wmemcpy(copy, s, n) : 0;
}

static int order(wchar_t a, wchar_t b) {
    return (a > b) - (a < b);
}

int wmemcmp(const wchar_t *a, const wchar_t *b, size_t n) {
    size_t i = 0;
    while (i < n && a[i] == b[i]) i++;
    return i < n ? order(a[i], b[i]) : 0;
}

int wcsncmp(const wchar_t *a, const wchar_t *b, size_t n) {
    size_t i = 0;
    while (i < n && a[i] && a[i] == b[i]) i++;
    return i < n ? order(a[i], b[i]) : 0;
}

int wcscmp(const wchar_t *a, const wchar_t *b) {
    return wcsncmp(a, b, (size_t)-1);
}

int wcscoll(const wchar_t *a, const wchar_t *b) {
    return wcscmp(a, b);
}

size_t wcsxfrm(wchar_t *to, const wchar_t *from, size_t n) {
    size_t length = wcslen(from);
    if (length < n) wmemcpy(to, from, length + 1);
    return length;
}

int wcsncasecmp(const wchar_t *a, const wchar_t *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        wchar_t x = (wchar_t)towlower((wint_t)a[i]), y = (wchar_t)towlower((wint_t)b[i]);
        if (x != y || !x) return order(x, y);
    }
    return 0;
}

int wcscasecmp(const wchar_t *a, const wchar_t *b) {
    return wcsncasecmp(a, b, (size_t)-1);
}

wchar_t *wmemchr(const wchar_t *s, wchar_t c, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (s[i] == c) return (wchar_t *)s + i;
    return 0;
}

wchar_t *wcschrnul(const wchar_t *s, wchar_t c) {
    while (*s && *s != c) s++;
    return (wchar_t *)s;
}

wchar_t *wcschr(const wchar_t *s, wchar_t c) {
    s = wcschrnul(s, c);
    return *s == c ? (wchar_t *)s : 0;
}

wchar_t *wcsrchr(const wchar_t *s, wchar_t c) {
    const wchar_t *found = 0;
    for (; *s; s++)
        if (*s == c) found = s;
    return (wchar_t *)(c ? found : s);
}

static size_t span(const wchar_t *s, const wchar_t *set, int wanted) {
    size_t n = 0;
    while (s[n] && (wcschr(set, s[n]) != 0) == wanted) n++;
    return n;
}

size_t wcsspn(const wchar_t *s, const wchar_t *set) {
    return span(s, set, 1);
}

size_t wcscspn(const wchar_t *s, const wchar_t *set) {
    return span(s, set, 0);
}

wchar_t *wcspbrk(const wchar_t *s, const wchar_t *set) {
    s += wcscspn(s, set);
    return *s ? (wchar_t *)s : 0;
}

wchar_t *wcsstr(const wchar_t *s, const wchar_t *what) {
    size_t n = wcslen(what);
    do
        if (wcsncmp(s, what, n) == 0) return (wchar_t *)s;
    while (*s++);
    return 0;
}

wchar_t *wcstok(wchar_t *s, const wchar_t *set, wchar_t **rest) {
    if (!s) s = *rest;
    if (s) s += wcsspn(s, set);
    if (!s || !*s) {
        *rest = 0;
        return 0;
    }
    wchar_t *end = s + wcscspn(s, set);
    *rest = *end ? end + 1 : 0;
    *end = 0;
    return s;
}

/* --- numbers: the characters of a number are ASCII --- */

/* The start of a string up to the first character that no number has, as bytes; the caller frees it. */
static char *narrow(const wchar_t *s) {
    size_t n = 0;
    while (s[n] > 0 && s[n] < 128) n++;
    char *text = malloc(n + 1);
    for (size_t i = 0; i < n; i++) text[i] = (char)s[i];
    text[n] = 0;
    return text;
}

#define CONVERT(type, convert)                                                                                      \
    char *text = narrow(s), *stop;                                                                                  \
    type value = convert;                                                                                           \
    if (end) *end = (wchar_t *)s + (stop - text);                                                                   \
    free(text);                                                                                                     \
    return value

long wcstol(const wchar_t *s, wchar_t **end, int base) {
    CONVERT(long, strtol(text, &stop, base));
}

unsigned long wcstoul(const wchar_t *s, wchar_t **end, int base) {
    CONVERT(unsigned long, strtoul(text, &stop, base));
}

long long wcstoll(const wchar_t *s, wchar_t **end, int base) {
    CONVERT(long, strtol(text, &stop, base));
}

unsigned long long wcstoull(const wchar_t *s, wchar_t **end, int base) {
    CONVERT(unsigned long, strtoul(text, &stop, base));
}

double wcstod(const wchar_t *s, wchar_t **end) {
    CONVERT(double, strtod(text, &stop));
}

float wcstof(const wchar_t *s, wchar_t **end) {
    CONVERT(float, strtof(text, &stop));
}
