/* Integers from strings. A string with symbolic bytes gives one named input per question (design D5): the value, the
 * end and the error are inputs of their own, each a pure function of the string. */
#include "ics.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "ics_string.h"

static int space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static unsigned digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
}

/* Sign and magnitude of the number at the string's start; the end is `s` itself if there is none. */
struct parsed {
    unsigned long magnitude;
    const char *end;
    int negative;
    int overflow;
};

static struct parsed parse(const char *s, int base) {
    struct parsed p = {0, s, 0, 0};
    const char *at = s;
    while (space(*at)) at++;
    if (*at == '+' || *at == '-') p.negative = *at++ == '-';
    if ((base == 0 || base == 16) && at[0] == '0' && (at[1] | 32) == 'x' && digit(at[2]) < 16) {
        at += 2;
        base = 16;
    } else if (base == 0) {
        base = *at == '0' ? 8 : 10;
    }
    for (; digit(*at) < (unsigned)base; at++) {
        unsigned long scaled, next;
        p.overflow |= __builtin_mul_overflow(p.magnitude, (unsigned long)base, &scaled);
        p.overflow |= __builtin_add_overflow(scaled, (unsigned long)digit(*at), &next);
        p.magnitude = next;
        p.end = at + 1;
    }
    return p;
}

/* The names under which a run evaluates the inputs again: `strtol` is base 10 or 0, else the base is part of it. */
static unsigned long symbolic(const char *kind, const char *s, char **end, int base, unsigned bits) {
    char name[32], *p = name;
    while (*kind) *p++ = *kind++;
    if (base != 10) {
        *p++ = '_';
        if (base >= 10) *p++ = (char)('0' + base / 10);
        *p++ = (char)('0' + base % 10);
    }
    *p = 0;
    unsigned long value = ics_ask(name, s, bits);
    if (end) {
        __ics_memcpy(p, "_end", 5);
        unsigned long used = ics_ask(name, s, 64);
        __ics_assume(used <= ics_symbolic_strlen(s));
        *end = (char *)s + used;
    }
    __ics_memcpy(p, "_range", 7);
    errno = (int)__ics_select(ics_ask(name, s, 1) & 1, ERANGE, errno);
    return value;
}

static long to_signed(const char *s, char **end, int base) {
    if (base < 0 || base == 1 || base > 36) {
        errno = EINVAL;
        return 0;
    }
    if (ics_symbolic_string(s)) return (long)symbolic("strtol", s, end, base, 64);
    struct parsed p = parse(s, base);
    if (end) *end = (char *)p.end;
    unsigned long limit = p.negative ? (unsigned long)LONG_MAX + 1 : LONG_MAX;
    if (p.overflow || p.magnitude > limit) {
        errno = ERANGE;
        return p.negative ? LONG_MIN : LONG_MAX;
    }
    return (long)(p.negative ? -p.magnitude : p.magnitude);
}

static unsigned long to_unsigned(const char *s, char **end, int base) {
    if (base < 0 || base == 1 || base > 36) {
        errno = EINVAL;
        return 0;
    }
    if (ics_symbolic_string(s)) return symbolic("strtoul", s, end, base, 64);
    struct parsed p = parse(s, base);
    if (end) *end = (char *)p.end;
    if (p.overflow) {
        errno = ERANGE;
        return ULONG_MAX;
    }
    return p.negative ? -p.magnitude : p.magnitude;
}

/* Every name of the same two functions on a machine where long and long long are the same. */
#define SIGNED(name)                                                                                                \
    long ics_##name(const char *s, char **end, int base) __asm__(#name);                                            \
    long ics_##name(const char *s, char **end, int base) {                                                          \
        return to_signed(s, end, base);                                                                             \
    }
#define UNSIGNED(name)                                                                                              \
    unsigned long ics_##name(const char *s, char **end, int base) __asm__(#name);                                   \
    unsigned long ics_##name(const char *s, char **end, int base) {                                                 \
        return to_unsigned(s, end, base);                                                                           \
    }

SIGNED(strtol)
SIGNED(strtoll)
SIGNED(strtoq)
SIGNED(strtoimax)
SIGNED(__isoc23_strtol)
SIGNED(__isoc23_strtoll)
SIGNED(__isoc23_strtoimax)
UNSIGNED(strtoul)
UNSIGNED(strtoull)
UNSIGNED(strtouq)
UNSIGNED(strtoumax)
UNSIGNED(__isoc23_strtoul)
UNSIGNED(__isoc23_strtoull)
UNSIGNED(__isoc23_strtoumax)

long __strtol_internal(const char *s, char **end, int base, int group) {
    return to_signed(s, end, base);
}

unsigned long __strtoul_internal(const char *s, char **end, int base, int group) {
    return to_unsigned(s, end, base);
}

int atoi(const char *s) {
    if (ics_symbolic_string(s)) return (int)ics_ask("atoi", s, 32);
    return (int)to_signed(s, 0, 10);
}

long atol(const char *s) {
    if (ics_symbolic_string(s)) return (long)ics_ask("atol", s, 64);
    return to_signed(s, 0, 10);
}

long long atoll(const char *s) {
    if (ics_symbolic_string(s)) return (long)ics_ask("atol", s, 64);
    return to_signed(s, 0, 10);
}
