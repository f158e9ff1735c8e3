/* Formatted output of constants: the conversions of printf, except floating point (format_double.c). */
#include "ics.h"

#include <errno.h>
#include <string.h>
#include <wchar.h>

#include "ics_stdio.h"

void ics_put(struct ics_sink *sink, const char *p, size_t n) {
    if (sink->stream) {
        ics_write(sink->stream, p, n);
    } else if (sink->count < sink->capacity) {
        size_t room = sink->capacity - sink->count;
        __ics_memcpy(sink->to + sink->count, p, ICS_MIN(n, room));
    }
    sink->count += n;
}

void ics_pad(struct ics_sink *sink, char c, int n) {
    char block[16];
    if (n <= 0) return;
    __ics_memset(block, c, sizeof block);
    for (; n > 16; n -= 16) ics_put(sink, block, 16);
    ics_put(sink, block, (size_t)n);
}

void ics_put_number(struct ics_sink *sink, const struct ics_spec *spec, const char *prefix, int zeros,
                    const char *digits, int n) {
    int prefix_length = (int)strlen(prefix);
    int fill = spec->width - prefix_length - zeros - n;
    if (fill > 0 && spec->zero && !spec->minus) {
        zeros += fill;
        fill = 0;
    }
    if (!spec->minus) ics_pad(sink, ' ', fill);
    ics_put(sink, prefix, (size_t)prefix_length);
    ics_pad(sink, '0', zeros);
    ics_put(sink, digits, (size_t)n);
    if (spec->minus) ics_pad(sink, ' ', fill);
}

static const char *number(const char *p, int *value, va_list *ap) {
    *value = 0;
    if (*p == '*') {
        *value = va_arg(*ap, int);
        return p + 1;
    }
    while (*p >= '0' && *p <= '9') *value = *value * 10 + (*p++ - '0');
    return p;
}

static const char *parse_size(struct ics_spec *spec, const char *p) {
    spec->size = 4;
    switch (*p) {
    case 'h':
        spec->size = p[1] == 'h' ? 1 : 2;
        return p + (p[1] == 'h' ? 2 : 1);
    case 'l':
        spec->size = 8;
        return p + (p[1] == 'l' ? 2 : 1);
    case 'q':
    case 'j':
    case 'z':
    case 'Z':
    case 't':
        spec->size = 8;
        return p + 1;
    case 'L':
        spec->size = 16;
        return p + 1;
    default: return p;
    }
}

const char *ics_parse_spec(struct ics_spec *spec, const char *p, va_list *ap) {
    __ics_memset(spec, 0, sizeof *spec);
    for (;; p++) {
        if (*p == '-') spec->minus = 1;
        else if (*p == '+') spec->plus = 1;
        else if (*p == ' ') spec->space = 1;
        else if (*p == '#') spec->alternate = 1;
        else if (*p == '0') spec->zero = 1;
        else if (*p != '\'' && *p != 'I') break;
    }
    p = number(p, &spec->width, ap);
    if (*p == '$') {
        spec->conversion = '$';
        return p;
    }
    if (spec->width < 0) {
        spec->minus = 1;
        spec->width = -spec->width;
    }
    spec->precision = -1;
    if (*p == '.') p = number(p + 1, &spec->precision, ap);
    if (spec->precision < 0) spec->precision = -1;
    p = parse_size(spec, p);
    spec->conversion = *p;
    return *p ? p + 1 : p;
}

static void put_integer(struct ics_sink *sink, struct ics_spec *spec, unsigned long value, int negative) {
    static const char lower[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";
    const char *symbols = spec->conversion == 'X' ? upper : lower;
    char digits[24], *p = digits + sizeof digits;
    unsigned base = 10;
    const char *prefix = "";
    switch (spec->conversion) {
    case 'o': base = 8; break;
    case 'x': base = 16, prefix = spec->alternate && value ? "0x" : ""; break;
    case 'X': base = 16, prefix = spec->alternate && value ? "0X" : ""; break;
    case 'u': break;
    default: prefix = negative ? "-" : spec->plus ? "+" : spec->space ? " " : "";
    }
    for (unsigned long rest = value; rest; rest /= base) *--p = symbols[rest % base];
    int n = (int)(digits + sizeof digits - p);
    int zeros = n == 0 && spec->precision != 0;
    if (spec->precision > n) zeros = spec->precision - n;
    if (base == 8 && spec->alternate && zeros == 0) zeros = 1;
    if (spec->precision >= 0) spec->zero = 0;
    ics_put_number(sink, spec, prefix, zeros, p, n);
}

static void signed_integer(struct ics_sink *sink, struct ics_spec *spec, va_list *ap) {
    long value = spec->size >= 8 ? va_arg(*ap, long) : va_arg(*ap, int);
    if (spec->size == 2) value = (short)value;
    if (spec->size == 1) value = (signed char)value;
    put_integer(sink, spec, value < 0 ? -(unsigned long)value : (unsigned long)value, value < 0);
}

static void unsigned_integer(struct ics_sink *sink, struct ics_spec *spec, va_list *ap) {
    unsigned long value = spec->size >= 8 ? va_arg(*ap, unsigned long) : va_arg(*ap, unsigned);
    if (spec->size == 2) value = (unsigned short)value;
    if (spec->size == 1) value = (unsigned char)value;
    put_integer(sink, spec, value, 0);
}

static void text(struct ics_sink *sink, const struct ics_spec *spec, const char *s, size_t n) {
    int fill = n < (size_t)spec->width ? spec->width - (int)n : 0;
    if (!spec->minus) ics_pad(sink, ' ', fill);
    ics_put(sink, s, n);
    if (spec->minus) ics_pad(sink, ' ', fill);
}

static void string(struct ics_sink *sink, const struct ics_spec *spec, const char *s) {
    if (!s) s = spec->precision >= 0 && spec->precision < 6 ? "" : "(null)";
    text(sink, spec, s, spec->precision >= 0 ? strnlen(s, (size_t)spec->precision) : strlen(s));
}

/* Wide strings: characters that are one byte in the C locale. */
static void wide_string(struct ics_sink *sink, const struct ics_spec *spec, const wchar_t *s) {
    if (!s) {
        string(sink, spec, 0);
        return;
    }
    size_t n = 0;
    while ((spec->precision < 0 || n < (size_t)spec->precision) && s[n]) n++;
    int fill = n < (size_t)spec->width ? spec->width - (int)n : 0;
    if (!spec->minus) ics_pad(sink, ' ', fill);
    for (size_t i = 0; i < n; i++) {
        if ((unsigned)s[i] > 127) {
            errno = EILSEQ;
            sink->failed = 1;
            return;
        }
        ics_pad(sink, (char)s[i], 1);
    }
    if (spec->minus) ics_pad(sink, ' ', fill);
}

static void pointer(struct ics_sink *sink, struct ics_spec *spec, void *p) {
    if (!p) {
        text(sink, spec, "(nil)", 5);
        return;
    }
    spec->conversion = 'x';
    spec->alternate = 1;
    put_integer(sink, spec, (unsigned long)p, 0);
}

void ics_store_count(const struct ics_spec *spec, size_t count, void *to) {
    switch (spec->size) {
    case 1: *(signed char *)to = (signed char)count; break;
    case 2: *(short *)to = (short)count; break;
    case 4: *(int *)to = (int)count; break;
    default: *(long *)to = (long)count;
    }
}

/* One conversion; 0 if there is no such. */
static int convert(struct ics_sink *sink, struct ics_spec *spec, va_list *ap, int saved_errno) {
    switch (spec->conversion) {
    case 'd':
    case 'i': signed_integer(sink, spec, ap); return 1;
    case 'u':
    case 'o':
    case 'x':
    case 'X': unsigned_integer(sink, spec, ap); return 1;
    case 'c': {
        char c = (char)va_arg(*ap, int);
        text(sink, spec, &c, 1);
        return 1;
    }
    case 's':
        if (spec->size == 8) wide_string(sink, spec, va_arg(*ap, const wchar_t *));
        else string(sink, spec, va_arg(*ap, const char *));
        return 1;
    case 'm': string(sink, spec, strerror(saved_errno)); return 1;
    case 'p': pointer(sink, spec, va_arg(*ap, void *)); return 1;
    case 'n': ics_store_count(spec, sink->count, va_arg(*ap, void *)); return 1;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        if (spec->size == 16) ics_format_long_double(sink, spec, va_arg(*ap, long double));
        else ics_format_double(sink, spec, va_arg(*ap, double));
        return 1;
    case '%': ics_put(sink, "%", 1); return 1;
    default: return 0;
    }
}

int ics_format(struct ics_sink *sink, const char *format, va_list arguments) {
    va_list ap;
    va_copy(ap, arguments);
    int saved_errno = errno;
    for (const char *p = format; *p && !sink->failed;) {
        const char *start = p;
        while (*p && *p != '%') p++;
        if (p != start) ics_put(sink, start, (size_t)(p - start));
        if (!*p) break;
        struct ics_spec spec;
        start = p;
        p = ics_parse_spec(&spec, p + 1, &ap);
        if (spec.conversion == '$') {
            va_end(ap);
            return ics_format_positional(sink, start, arguments);
        }
        if (!convert(sink, &spec, &ap, saved_errno)) {
            if (!spec.conversion) {
                errno = EINVAL;
                sink->count = (size_t)-1;
                break;
            }
            ics_put(sink, start, (size_t)(p - start));
        }
    }
    va_end(ap);
    if (sink->failed) return -1;
    if (sink->count > 0x7fffffff) {
        if (sink->count != (size_t)-1) errno = EOVERFLOW;
        return -1;
    }
    return (int)sink->count;
}
