/* printf and snprintf in the symbolic domain: nothing here branches on an argument that is not a constant.
 *
 * Output to a stream is a sink; its count is an input unless the format has no conversion. Output to memory is exact
 * as long as the arguments are constants; from the first symbolic one on, the bytes and the count are new inputs,
 * bounded by the longest output. That over-approximates: nothing ties the bytes to the arguments. An overflow of the
 * buffer that only some values of the arguments cause is not found. */
#include "ics.h"

#include <stdlib.h>
#include <string.h>

#include "ics_stdio.h"
#include "ics_string.h"

int ics_format_sink(const char *format, va_list ap) {
    const char *p = strchr(format, '%');
    if (!p) return (int)strlen(format);
    for (; p; p = strchr(p, '%')) {
        p++;
        while (*p && strchr("-+ #0'I123456789.*hlqjzZtL", *p)) p++;
        if (*p == 'n') __ics_error("printf with %n, which is not modelled in the symbolic domain");
        if (*p) p++;
    }
    unsigned long count = __ics_input("printf", 31);
    __ics_assume((int)count >= 0);
    return (int)count;
}

/* What one conversion can print: whether its argument is a constant, and at most how many bytes. */
struct extent {
    int symbolic;
    unsigned long bytes;
};

static struct extent string_extent(const struct ics_spec *spec, const char *s) {
    struct extent e = {0, 6};
    if (__ics_is_symbolic((unsigned long)s)) {
        e.symbolic = 1;
        e.bytes = spec->precision >= 0 ? (unsigned)spec->precision : strlen(s);
        if (__ics_is_symbolic(e.bytes)) e.bytes = 4096;
        return e;
    }
    if (!s) return e;
    if (spec->precision >= 0) {
        e.bytes = strnlen(s, (unsigned)spec->precision);
        e.symbolic = __ics_is_symbolic(e.bytes) || __ics_any_symbolic(s, e.bytes);
        if (e.symbolic) e.bytes = (unsigned)spec->precision;
    } else {
        e.symbolic = __ics_string_symbolic(s);
        e.bytes = e.symbolic ? ics_strlen_bound(s) : strlen(s);
    }
    return e;
}

static struct extent extent(const struct ics_spec *spec, va_list *ap) {
    struct extent e = {0, 0};
    int precision = spec->precision < 0 ? 6 : spec->precision;
    switch (spec->conversion) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
    case 'c':
        e.symbolic = __ics_is_symbolic(spec->size >= 8 ? va_arg(*ap, unsigned long) : va_arg(*ap, unsigned));
        e.bytes = spec->conversion == 'c' ? 1 : 3u * spec->size - (spec->size > 4) + (unsigned)precision;
        break;
    case 'p':
        e.symbolic = __ics_is_symbolic((unsigned long)va_arg(*ap, void *));
        e.bytes = 18;
        break;
    case 's':
        if (spec->size == 8) __ics_unsupported("snprintf of a wide string in the symbolic domain");
        e = string_extent(spec, va_arg(*ap, const char *));
        break;
    case 'n': (void)va_arg(*ap, void *); break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A': {
        unsigned whole = 312;
        if (spec->size == 16) {
            long double value = va_arg(*ap, long double);
            e.symbolic = __ics_any_symbolic(&value, 10);
            whole = 4936;
        } else {
            double value = va_arg(*ap, double);
            e.symbolic = __ics_is_symbolic(__builtin_bit_cast(unsigned long, value));
        }
        e.bytes = ((spec->conversion | 32) == 'f' ? whole : 24u) + (unsigned)precision;
        break;
    }
    case '$': __ics_unsupported("snprintf with numbered arguments in the symbolic domain");
    default: e.bytes = 20;
    }
    if (e.bytes < (unsigned)spec->width) e.bytes = (unsigned)spec->width;
    return e;
}

/* The part of the format before the first symbolic argument, and a bound on what the rest prints. */
struct split {
    size_t exact;
    unsigned long rest;
};

static struct split split(const char *format, va_list arguments) {
    struct split s = {0, 0};
    int symbolic = 0;
    va_list ap;
    va_copy(ap, arguments);
    for (const char *p = format; *p;) {
        const char *start = p;
        unsigned long bytes = 1;
        if (*p == '%') {
            struct ics_spec spec;
            p = ics_parse_spec(&spec, p + 1, &ap);
            struct extent e = extent(&spec, &ap);
            symbolic |= e.symbolic;
            bytes = e.bytes;
        } else {
            p++;
        }
        if (symbolic) s.rest += bytes;
        else s.exact += (size_t)(p - start);
    }
    va_end(ap);
    return s;
}

/* What %n stores behind a symbolic argument: inputs between what is printed for sure and the most. Returns the least
 * that is printed in the end. */
static unsigned long store_counts(const char *format, va_list arguments, unsigned long done) {
    unsigned long least = done, rest = 0;
    int symbolic = 0;
    va_list ap;
    va_copy(ap, arguments);
    for (const char *p = format; *p;) {
        struct extent e = {0, 1};
        struct ics_spec spec = {.conversion = 0};
        if (*p++ == '%') {
            p = ics_parse_spec(&spec, p, &ap);
            if (spec.conversion == 'n' && symbolic) {
                unsigned long count = __ics_input("snprintf_n", 32);
                __ics_assume((count >= least) & (count <= done + rest));
                ics_store_count(&spec, count, va_arg(ap, void *));
                least = count;
                continue;
            }
            e = extent(&spec, &ap);
        }
        symbolic |= e.symbolic;
        if (symbolic) rest += e.bytes;
    }
    va_end(ap);
    return least;
}

int ics_format_symbolic(char *to, size_t size, const char *format, va_list ap) {
    struct split s = split(format, ap);
    struct ics_sink sink = {.to = to, .capacity = size ? size - 1 : 0};
    if (s.rest == 0) {
        int count = ics_format(&sink, format, ap);
        if (size && count >= 0) to[ICS_MIN((size_t)count, sink.capacity)] = 0;
        return count;
    }
    va_list again;
    va_copy(again, ap);
    char *prefix = __ics_malloc(s.exact + 1, 0);
    __ics_memcpy(prefix, format, s.exact);
    prefix[s.exact] = 0;
    int done = ics_format(&sink, prefix, ap);
    __ics_free(prefix);
    unsigned long least = store_counts(format, again, (unsigned)done);
    va_end(again);
    unsigned long count = __ics_input("snprintf", 32);
    __ics_assume((count >= least) & (count <= (unsigned)done + s.rest));
    if (size == 0) return (int)count;
    if ((size_t)done >= sink.capacity) {
        to[sink.capacity] = 0;
        return (int)count;
    }
    char *end = to + done;
    size_t n = ICS_MIN(s.rest, sink.capacity - (size_t)done);
    size_t room = __ics_room(end);
    if (n >= room) n = room ? room - 1 : 0;
    __ics_input_bytes(end, n, "snprintf.text");
    end[n] = 0;
    return (int)count;
}
