/* Addresses of the internet as text. */
#include "ics.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ics_string.h"

#undef inet_aton

const struct in6_addr in6addr_any;
const struct in6_addr in6addr_loopback = {{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}}};

/* --- from text --- */

static int value_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/* A number as C writes it; the end, or null. */
static const char *number(const char *s, unsigned long *to) {
    int base = 10;
    if (*s < '0' || *s > '9') return 0;
    if (*s == '0') {
        base = 8;
        s++;
        if ((*s | 32) == 'x') {
            base = 16;
            if (value_of(*++s) >= base) return 0;
        }
    }
    for (*to = 0; value_of(*s) < base; s++) {
        *to = *to * (unsigned long)base + (unsigned long)value_of(*s);
        if (*to > 0xffffffff) return 0;
    }
    return s;
}

static int is_end(char c) {
    return c == 0 || c == ' ' || (c >= '\t' && c <= '\r');
}

/* One to four numbers, of which the last fills what the others leave. */
static int loose(const char *s, unsigned *to) {
    unsigned long part, address = 0;
    for (int i = 0;; i++) {
        s = number(s, &part);
        if (!s) return 0;
        if (*s != '.') {
            if (!is_end(*s) || part > 0xfffffffful >> 8 * i) return 0;
            *to = htonl((unsigned)(address | part));
            return 1;
        }
        if (i == 3 || part > 255) return 0;
        address |= part << (24 - 8 * i);
        s++;
    }
}

int inet_aton(const char *s, struct in_addr *to) {
    unsigned address;
    if (__ics_string_symbolic(s)) {
        unsigned long value = __ics_input_of_string("inet_aton", s, 32), good = __ics_input_of_string("inet_aton_valid", s, 1);
        if (to) to->s_addr = (in_addr_t)__ics_select(good & 1, value, to->s_addr);
        return (int)(good & 1);
    }
    if (!loose(s, &address)) return 0;
    if (to) to->s_addr = address;
    return 1;
}

in_addr_t inet_addr(const char *s) {
    unsigned address;
    if (__ics_string_symbolic(s)) return (in_addr_t)__ics_input_of_string("inet_addr", s, 32);
    return loose(s, &address) ? address : INADDR_NONE;
}

in_addr_t inet_network(const char *s) {
    unsigned long part, address = 0;
    if (__ics_string_symbolic(s)) return (in_addr_t)__ics_input_of_string("inet_network", s, 32);
    for (int i = 0; i < 4; i++) {
        s = number(s, &part);
        if (!s || part > 255) return INADDR_NONE;
        address = address << 8 | part;
        if (*s != '.') return is_end(*s) ? (in_addr_t)address : INADDR_NONE;
        s++;
    }
    return INADDR_NONE;
}

/* Exactly four decimal numbers without leading zeros; the end, or null. */
static const char *strict(const char *s, unsigned char *to) {
    for (int i = 0; i < 4; i++) {
        unsigned value = 0;
        const char *from = s;
        for (; *s >= '0' && *s <= '9'; s++) {
            value = value * 10 + (unsigned)(*s - '0');
            if (value > 255 || (s > from && *from == '0')) return 0;
        }
        if (s == from || (i < 3 && *s++ != '.')) return 0;
        to[i] = (unsigned char)value;
    }
    return s;
}

/* Groups of four hexadecimal digits, one gap of zeros, an IPv4 address at the end. */
static int parse6(const char *s, unsigned char *to) {
    unsigned char bytes[16] = {0};
    int at = 0, gap = -1;
    if (*s == ':' && *++s != ':') return 0;
    while (*s) {
        const char *from = s;
        unsigned value = 0;
        if (*s == ':') {
            if (gap >= 0) return 0;
            gap = at;
            s++;
            continue;
        }
        while (value_of(*s) < 16 && s - from < 4) value = value * 16 + (unsigned)value_of(*s++);
        if (*s == '.' && at <= 12) {
            s = strict(from, bytes + at);
            if (!s || *s) return 0;
            at += 4;
            break;
        }
        if (s == from || at == 16) return 0;
        bytes[at++] = (unsigned char)(value >> 8);
        bytes[at++] = (unsigned char)value;
        if (*s && *s++ != ':') return 0;
        if (s[-1] == ':' && !*s) return 0;
    }
    if (gap < 0 ? at != 16 : at == 16) return 0;
    int moved = gap < 0 ? 0 : at - gap;
    for (int i = 1; i <= moved; i++) {
        bytes[16 - i] = bytes[at - i];
        if (16 - i != at - i) bytes[at - i] = 0;
    }
    __ics_memcpy(to, bytes, 16);
    return 1;
}

int inet_pton(int family, const char *s, void *to) {
    unsigned char four[4];
    if (family != AF_INET && family != AF_INET6) {
        errno = EAFNOSUPPORT;
        return -1;
    }
    if (__ics_string_symbolic(s)) {
        __ics_input_bytes(to, family == AF_INET ? 4 : 16, "inet_pton");
        return (int)(__ics_input_of_string("inet_pton_valid", s, 1) & 1);
    }
    if (family == AF_INET6) return parse6(s, to);
    const char *end = strict(s, four);
    if (!end || *end) return 0;
    __ics_memcpy(to, four, 4);
    return 1;
}

/* --- to text --- */

static void write4(const unsigned char *a, char *to) {
    sprintf(to, "%d.%d.%d.%d", a[0], a[1], a[2], a[3]);
}

/* The longest run of at least two zero groups, the first of those of the same length. */
static int longest_gap(const unsigned *group, int *length) {
    int best = -1;
    *length = 1;
    for (int i = 0; i < 8; i++) {
        int n = 0;
        while (i + n < 8 && group[i + n] == 0) n++;
        if (n > *length) {
            best = i;
            *length = n;
        }
    }
    return best;
}

static void write6(const unsigned char *a, char *to) {
    unsigned group[8];
    int length;
    for (int i = 0; i < 8; i++) group[i] = (unsigned)a[2 * i] << 8 | a[2 * i + 1];
    int gap = longest_gap(group, &length);
    int has_v4 = gap == 0 && (length == 6 || (length == 7 && group[7] != 1) || (length == 5 && group[5] == 0xffff));
    for (int i = 0; i < 8; i++) {
        if (i == gap) {
            *to++ = ':';
            i += length - 1;
            if (i == 7) *to++ = ':';
            continue;
        }
        if (i) *to++ = ':';
        if (i == 6 && has_v4) {
            write4(a + 12, to);
            return;
        }
        to += sprintf(to, "%x", group[i]);
    }
    *to = 0;
}

const char *inet_ntop(int family, const void *address, char *to, socklen_t size) {
    char text[INET6_ADDRSTRLEN];
    size_t most = family == AF_INET ? INET_ADDRSTRLEN : INET6_ADDRSTRLEN;
    if (family != AF_INET && family != AF_INET6) {
        errno = EAFNOSUPPORT;
        return 0;
    }
    if (__ics_any_symbolic(address, family == AF_INET ? 4 : 16)) {
        most = ICS_MIN(most, size);
        if (most == 0) return 0;
        __ics_input_bytes(to, most - 1, "inet_ntop");
        to[most - 1] = 0;
        return to;
    }
    if (family == AF_INET) write4(address, text);
    else write6(address, text);
    if (strlen(text) >= size) {
        errno = ENOSPC;
        return 0;
    }
    return strcpy(to, text);
}

char *inet_ntoa(struct in_addr address) {
    static _Thread_local char text[INET_ADDRSTRLEN];
    return (char *)inet_ntop(AF_INET, &address, text, sizeof text);
}
