/* Strings: the rarer functions, and the further names of common ones. */
#include "ics.h"

#include <ctype.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "ics_string.h"

/* glibc has them since 2.38. */
size_t strlcpy(char *to, const char *from, size_t size);
size_t strlcat(char *to, const char *from, size_t size);

size_t strlcpy(char *to, const char *from, size_t size) {
    size_t n = strlen(from);
    if (size == 0) return n;
    size_t kept = __ics_select(n < size, n, size - 1);
    __ics_memcpy(to, from, kept);
    to[kept] = 0;
    return n;
}

size_t strlcat(char *to, const char *from, size_t size) {
    size_t n = strnlen(to, size);
    if (n == size) return n + strlen(from);
    return n + strlcpy(to + n, from, size - n);
}

static size_t digits(const char *s) {
    size_t n = 0;
    while (isdigit((unsigned char)s[n])) n++;
    return n;
}

/* Two numbers with the same beginning: the longer one is greater. */
static int by_length(const char *a, const char *b) {
    size_t n = digits(a), m = digits(b);
    return n != m ? (n > m ? 1 : -1) : (unsigned char)*a - (unsigned char)*b;
}

/* Numbers inside of names compare by value; one that begins with 0 is a fraction, and more zeros come before less. */
int strverscmp(const char *a, const char *b) {
    size_t i = 0;
    while (a[i] && a[i] == b[i]) i++;
    int difference = (unsigned char)a[i] - (unsigned char)b[i];
    if (!difference) return 0;
    size_t start = i;
    while (start && isdigit((unsigned char)a[start - 1])) start--;
    int number_a = isdigit((unsigned char)a[i]) != 0, number_b = isdigit((unsigned char)b[i]) != 0;
    if (start == i) return number_a && number_b && a[i] != '0' && b[i] != '0' ? by_length(a + i, b + i) : difference;
    if (a[start] != '0' && number_a && number_b) return by_length(a + i, b + i);
    if (number_a == number_b) return difference;
    if (a[start] != '0') return number_a ? 1 : -1;
    for (; start < i; start++)
        if (a[start] != '0') return difference;
    return number_a ? -1 : 1;
}

void swab(const void *from, void *to, ssize_t n) {
    const char *p = from;
    char *q = to;
    for (ssize_t i = 0; i + 1 < n; i += 2) {
        char first = p[i];
        q[i] = p[i + 1];
        q[i + 1] = first;
    }
}

#undef ffs
#undef ffsl
#undef ffsll

/* The lowest 1, counted from 1, without a branch. */
static int lowest(unsigned long x) {
    unsigned long one = x & -x, n = 0;
    n += ((one & 0xffffffff00000000) != 0) * 32;
    n += ((one & 0xffff0000ffff0000) != 0) * 16;
    n += ((one & 0xff00ff00ff00ff00) != 0) * 8;
    n += ((one & 0xf0f0f0f0f0f0f0f0) != 0) * 4;
    n += ((one & 0xcccccccccccccccc) != 0) * 2;
    n += (one & 0xaaaaaaaaaaaaaaaa) != 0;
    return (int)(n + 1) * (x != 0);
}

int ffs(int x) {
    return lowest((unsigned)x);
}

int ffsl(long x) {
    return lowest((unsigned long)x);
}

int ffsll(long long x) {
    return lowest((unsigned long)x);
}

/* --- further names --- */

void *__mempcpy(void *to, const void *from, size_t n) {
    return mempcpy(to, from, n);
}

char *__strndup(const char *s, size_t n) {
    return strndup(s, n);
}

void *__rawmemchr(const void *s, int byte) {
    return rawmemchr(s, byte);
}

int __memcmpeq(const void *a, const void *b, size_t n) {
    return memcmp(a, b, n);
}

char *__strcasestr(const char *s, const char *what) {
    return strcasestr(s, what);
}

int __strcasecmp(const char *a, const char *b) {
    return strcasecmp(a, b);
}

int strcasecmp_l(const char *a, const char *b, locale_t locale) {
    return strcasecmp(a, b);
}

int strncasecmp_l(const char *a, const char *b, size_t n, locale_t locale) {
    return strncasecmp(a, b, n);
}

int strcoll_l(const char *a, const char *b, locale_t locale) {
    return strcoll(a, b);
}

size_t strxfrm_l(char *to, const char *from, size_t n, locale_t locale) {
    return strxfrm(to, from, n);
}

/* --- errors and signals as text --- */

/* glibc's descriptions of the signals from 1 on. */
static const char *const signals[] = {
    "Hangup", "Interrupt", "Quit", "Illegal instruction", "Trace/breakpoint trap", "Aborted", "Bus error",
    "Floating point exception", "Killed", "User defined signal 1", "Segmentation fault", "User defined signal 2",
    "Broken pipe", "Alarm clock", "Terminated", "Stack fault", "Child exited", "Continued", "Stopped (signal)",
    "Stopped", "Stopped (tty input)", "Stopped (tty output)", "Urgent I/O condition", "CPU time limit exceeded",
    "File size limit exceeded", "Virtual timer expired", "Profiling timer expired", "Window changed", "I/O possible",
    "Power failure", "Bad system call",
};

const char *sigdescr_np(int number) {
    return number >= 1 && number <= 31 ? signals[number - 1] : 0;
}

/* The numbered ones of glibc: "Real-time signal 3", "Unknown signal 99". */
char *strsignal(int number) {
    static char text[40];
    if (sigdescr_np(number)) return (char *)sigdescr_np(number);
    int real = number >= 34 && number <= 64, value = real ? number - 34 : number;
    char *p = text + sizeof text - 1;
    unsigned rest = value < 0 ? -(unsigned)value : (unsigned)value;
    do *--p = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0) *--p = '-';
    const char *before = real ? "Real-time signal " : "Unknown signal ";
    size_t n = strlen(before);
    __ics_memcpy(p - n, before, n);
    return p - n;
}
