/* Strings with symbolic bytes (design D5): one term per result instead of one path per character.
 *
 * Each loop runs over a range whose end is a constant, carries "already decided" as a value and picks with
 * __ics_select. The only branches are on constants: on whether a byte is symbolic, and on constant bytes. A pointer
 * that is itself symbolic (one of several strings) has no such range; its loops branch per byte, which gives a path
 * per length, not per content. */
#include "ics.h"

#include "ics_string.h"

static unsigned long byte_at(const void *s, size_t i) {
    return ((const unsigned char *)s)[i];
}

/* Constant and NUL. */
static int surely_end(unsigned long c) {
    return !__ics_is_symbolic(c) && c == 0;
}

/* Whether a pointer is one of several strings that are known. */
static int is_choice(const void *s) {
    return __ics_is_symbolic((unsigned long)s) && !__ics_is_unknown((unsigned long)s);
}

/* A string goes on behind its object: reading there is the error. As far as it is known it is so long. */
static size_t beyond(const char *s, size_t room) {
    (void)*(const volatile char *)(s + room);
    return room;
}

size_t ics_strlen_bound(const char *s) {
    size_t room = __ics_room(s), end;
    if (is_choice(s))
        for (end = 0; end < room && !surely_end(byte_at(s, end));) end++;
    else
        end = __ics_string_end(s, room);
    if (end < room) return end;
    if (room == 0) return beyond(s, 0);
    /* No constant NUL: it is a string only if one of the symbolic bytes is one. */
    int ended = __ics_has_nul(s, room);
    __ics_known(ICS_ENDS, &ended, s);
    return ended ? room - 1 : beyond(s, room);
}

static size_t branching_strlen(const char *s) {
    size_t n = 0;
    while (s[n]) n++;
    return n;
}

/* The length among the first `bound` bytes, `bound` if there is no NUL. */
static size_t length_within(const char *s, size_t bound) {
    unsigned long length = bound;
    for (size_t i = bound; i-- > 0;) length = __ics_select(byte_at(s, i) == 0, i, length);
    return length;
}

size_t ics_symbolic_strlen(const char *s) {
    if (is_choice(s)) return branching_strlen(s);
    return length_within(s, ics_strlen_bound(s));
}

size_t ics_symbolic_strnlen(const char *s, size_t limit) {
    size_t bound = 0;
    size_t room = __ics_room(s);
    if (is_choice(s) || __ics_is_symbolic(limit)) {
        while (bound < limit && s[bound]) bound++;
        return bound;
    }
    limit = ICS_MIN(limit, room);
    while (bound < limit && !surely_end(byte_at(s, bound))) bound++;
    return length_within(s, bound);
}

void ics_symbolic_strncpy(char *to, const char *from, size_t n) {
    unsigned long ended = 0;
    size_t room = __ics_room(from);
    for (size_t i = 0; i < n; i++) {
        /* Behind its object a string has ended, or the access is the error. */
        if ((!__ics_is_symbolic(ended) || i >= room) && ended) {
            ended = 1;
            to[i] = 0;
            continue;
        }
        unsigned long c = byte_at(from, i);
        ended = surely_end(c) ? 1 : ended | (c == 0);
        to[i] = (char)__ics_select(ended, 0, c);
    }
}

size_t ics_symbolic_strcpy(char *to, const char *from) {
    size_t bound = ics_strlen_bound(from), length = ics_symbolic_strlen(from);
    if (__ics_is_symbolic((unsigned long)to)) {
        for (size_t i = 0; i <= length; i++) to[i] = from[i];
        return length;
    }
    to[length] = 0; /* the farthest byte: what does not fit is an error here */
    size_t room = __ics_room(to);
    for (size_t i = 0; i < bound && i < room; i++)
        to[i] = (char)__ics_select(i < length, byte_at(from, i), byte_at(to, i));
    return length;
}

char *ics_symbolic_strchr(const char *s, int c) {
    if (is_choice(s)) {
        for (;; s++) {
            if (*s == (char)c) return (char *)s;
            if (*s == 0) return 0;
        }
    }
    unsigned long found = 0, wanted = (unsigned char)c;
    for (size_t i = ics_strlen_bound(s) + 1; i-- > 0;) {
        unsigned long b = byte_at(s, i);
        found = __ics_select(b == wanted, (unsigned long)(s + i), __ics_select(b == 0, 0, found));
    }
    return (char *)found;
}

char *ics_symbolic_strrchr(const char *s, int c) {
    if (is_choice(s)) {
        const char *found = 0;
        for (;; s++) {
            if (*s == (char)c) found = s;
            if (*s == 0) return (char *)found;
        }
    }
    unsigned long found = 0, ended = 0, wanted = (unsigned char)c;
    size_t bound = ics_strlen_bound(s);
    for (size_t i = 0; i <= bound; i++) {
        unsigned long b = byte_at(s, i);
        found = __ics_select(!ended & (b == wanted), (unsigned long)(s + i), found);
        ended |= b == 0;
    }
    return (char *)found;
}

void *ics_symbolic_memchr(const void *s, int byte, size_t n) {
    unsigned long found = 0, wanted = (unsigned char)byte;
    for (size_t i = n; i-- > 0;) found = __ics_select(byte_at(s, i) == wanted, (unsigned long)s + i, found);
    return (void *)found;
}

int ics_symbolic_compare(const void *a, const void *b, size_t n, enum ics_comparison how) {
    unsigned long result = 0, decided = 0;
    if (__ics_is_unknown(n)) return (int)__ics_select(n == 0, 0, __ics_input("memcmp", 32));
    if (how != ICS_COMPARE_MEMORY && __ics_is_unknown((unsigned long)a)) n = ICS_MIN(n, ics_strlen_bound(a) + 1);
    if (how != ICS_COMPARE_MEMORY && __ics_is_unknown((unsigned long)b)) n = ICS_MIN(n, ics_strlen_bound(b) + 1);
    for (size_t i = 0; i < n; i++) {
        unsigned long x = byte_at(a, i), y = byte_at(b, i);
        if (how == ICS_COMPARE_FOLDED) x = ics_fold((int)x), y = ics_fold((int)y);
        int last = how != ICS_COMPARE_MEMORY && (surely_end(x) || surely_end(y));
        unsigned long difference = x - y;
        result = __ics_select(decided, result, difference);
        decided |= difference != 0;
        if (how != ICS_COMPARE_MEMORY) decided |= x == 0;
        if (last || (!__ics_is_symbolic(decided) && decided)) break;
    }
    return (int)result;
}
