/* The scanf family. Constants are converted as glibc does; from a string or file with symbolic bytes every conversion
 * gives one named input, and so does the number of conversions (scanf_symbolic.c). */
#include "ics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ics_memory.h"
#include "ics_scanf.h"

static int next(struct ics_source *in) {
    int c;
    if (in->stream) {
        c = ics_getc(in->stream);
    } else {
        c = (unsigned char)*in->text;
        if (c) in->text++;
        else c = EOF;
    }
    if (c != EOF) in->taken++;
    else in->ended = 1;
    return c;
}

static void back(struct ics_source *in, int c) {
    if (c == EOF) return;
    in->taken--;
    if (in->stream) ics_ungetc(in->stream, c);
    else in->text--;
}

static int space(int c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip_space(struct ics_source *in) {
    int c;
    do c = next(in);
    while (space(c));
    back(in, c);
}

static const char *width(const char *p, int *value) {
    *value = 0;
    while (*p >= '0' && *p <= '9') *value = *value * 10 + (*p++ - '0');
    return p;
}

const char *ics_parse_directive(struct ics_directive *d, const char *p) {
    __ics_memset(d, 0, sizeof *d);
    const char *after = width(p, &d->position);
    if (*after == '$') p = after + 1;
    else d->position = 0;
    if (*p == '*') d->suppress = 1, p++;
    p = width(p, &d->width);
    d->size = 4;
    if (*p == 'm') d->allocate = 1, p++;
    if (*p == 'h') {
        d->size = p[1] == 'h' ? 1 : 2;
        p += p[1] == 'h' ? 2 : 1;
    } else if (*p == 'l' || *p == 'q' || *p == 'j' || *p == 'z' || *p == 't' || *p == 'L') {
        d->size = *p == 'L' ? 16 : 8;
        p += p[0] == 'l' && p[1] == 'l' ? 2 : 1;
    }
    d->conversion = *p;
    if (*p) p++;
    if (d->conversion != '[') return p;
    d->invert = *p == '^';
    if (d->invert) p++;
    d->set = p;
    if (*p == ']') p++;
    while (*p && *p != ']') p++;
    d->set_end = p;
    return *p ? p + 1 : p;
}

static int in_set(const struct ics_directive *d, int c) {
    int found = 0;
    for (const char *p = d->set; p < d->set_end; p++) {
        if (p[1] == '-' && p + 2 < d->set_end && (unsigned char)p[0] <= (unsigned char)p[2]) {
            found |= c >= (unsigned char)p[0] && c <= (unsigned char)p[2];
            p += 2;
        } else {
            found |= c == (unsigned char)*p;
        }
    }
    return found != d->invert;
}

void ics_store_integer(const struct ics_directive *d, void *to, unsigned long value) {
    switch (d->size) {
    case 1: *(char *)to = (char)value; break;
    case 2: *(short *)to = (short)value; break;
    case 4: *(int *)to = (int)value; break;
    default: *(long *)to = (long)value;
    }
}

enum outcome { STORED, NO_MATCH, NO_INPUT };

#define TOKEN 512

/* The longest prefix of the input that may be an integer of the base, into `token`; its length. */
static int integer_token(struct ics_source *in, char *token, int width, int *base) {
    int n = 0, digits = 0, c = next(in);
    if ((c == '+' || c == '-') && n < width) token[n++] = (char)c, c = next(in);
    if (n < width && c == '0' && (*base == 0 || *base == 16)) {
        token[n++] = (char)c;
        digits = 1;
        c = next(in);
        if (n < width && (c | 32) == 'x') {
            token[n++] = (char)c;
            *base = 16;
            c = next(in);
        } else if (*base == 0) {
            *base = 8;
        }
    }
    if (*base == 0) *base = 10;
    for (; n < width; c = next(in)) {
        int v = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : 99;
        if (v >= *base) break;
        token[n++] = (char)c;
        digits++;
    }
    back(in, c);
    token[n] = 0;
    return digits ? n : 0;
}

static enum outcome integer(struct ics_source *in, struct ics_directive *d, va_list *ap) {
    char token[TOKEN + 1];
    char kind = d->conversion;
    int base = kind == 'i' ? 0 : kind == 'o' ? 8 : kind == 'x' || kind == 'X' || kind == 'p' ? 16 : 10;
    int width = d->width && d->width < TOKEN ? d->width : TOKEN;
    if (kind == 'p') d->size = 8;
    if (!integer_token(in, token, width, &base)) return in->ended && !*token ? NO_INPUT : NO_MATCH;
    unsigned long value = kind == 'd' || kind == 'i' ? (unsigned long)strtol(token, 0, base) : strtoul(token, 0, base);
    if (!d->suppress) ics_store_integer(d, va_arg(*ap, void *), value);
    return STORED;
}

/* Takes the characters of `wanted` (lower case) as far as they come. */
static int take_word(struct ics_source *in, char *token, int n, int width, const char *wanted) {
    int c = next(in);
    while (*wanted && n < width && (c | 32) == *wanted) {
        token[n++] = (char)c;
        wanted++;
        c = next(in);
    }
    back(in, c);
    return n;
}

static int float_token(struct ics_source *in, char *token, int width) {
    int n = 0, digits = 0, point = 0, hex = 0, c = next(in);
    if (c == '+' || c == '-') token[n++] = (char)c, c = next(in);
    if (n < width && ((c | 32) == 'i' || (c | 32) == 'n')) {
        back(in, c);
        return take_word(in, token, n, width, (c | 32) == 'i' ? "infinity" : "nan");
    }
    if (n < width && c == '0') {
        token[n++] = (char)c;
        digits = 1;
        c = next(in);
        if (n < width && (c | 32) == 'x') token[n++] = (char)c, hex = 1, digits = 0, c = next(in);
    }
    for (; n < width; c = next(in)) {
        int is_digit = (c >= '0' && c <= '9') || (hex && (c | 32) >= 'a' && (c | 32) <= 'f');
        if (!is_digit && !(c == '.' && !point)) break;
        digits += is_digit;
        point |= c == '.';
        token[n++] = (char)c;
    }
    if (digits && n < width && (c | 32) == (hex ? 'p' : 'e')) {
        token[n++] = (char)c;
        c = next(in);
        if (n < width && (c == '+' || c == '-')) token[n++] = (char)c, c = next(in);
        for (; n < width && c >= '0' && c <= '9'; c = next(in)) token[n++] = (char)c;
    }
    back(in, c);
    return digits || (hex && point) ? n : 0; /* glibc reads "0x." as 0 */
}

static enum outcome floating(struct ics_source *in, struct ics_directive *d, va_list *ap) {
    char token[TOKEN + 1];
    int n = float_token(in, token, d->width && d->width < TOKEN ? d->width : TOKEN);
    token[n] = 0;
    if (n == 0) return in->ended && in->taken == in->start ? NO_INPUT : NO_MATCH;
    char *end;
    long double wide = 0;
    double value = 0;
    float narrow = 0;
    if (d->size == 16) wide = strtold(token, &end);
    else if (d->size == 8) value = strtod(token, &end);
    else narrow = strtof(token, &end);
    if (end == token) return NO_MATCH; /* but an exponent without digits is taken and ignored, as by glibc */
    if (d->suppress) return STORED;
    if (d->size == 16) *va_arg(*ap, long double *) = wide;
    else if (d->size == 8) *va_arg(*ap, double *) = value;
    else *va_arg(*ap, float *) = narrow;
    return STORED;
}

/* s, c and [...]. */
static enum outcome characters(struct ics_source *in, struct ics_directive *d, va_list *ap) {
    char kind = d->conversion;
    int width = d->width ? d->width : kind == 'c' ? 1 : 0x7fffffff;
    if (d->size == 8) __ics_unsupported("scanf of wide characters");
    char **owner = d->allocate && !d->suppress ? va_arg(*ap, char **) : 0;
    size_t capacity = owner ? 32 : 0;
    /* Apart from each other: points-to analysis would have the caller's object reallocated and freed, and by every
       `free` of a program. */
    char *made = owner ? ics_shared_malloc(capacity) : 0;
    char *given = owner || d->suppress ? 0 : va_arg(*ap, char *);
    int n = 0, c = EOF;
    while (n < width) {
        c = next(in);
        if (c == EOF || (kind == 's' && space(c)) || (kind == '[' && !in_set(d, c))) break;
        if (owner && (size_t)n + 2 > capacity) made = ics_shared_realloc(made, capacity *= 2);
        if (made) made[n] = (char)c;
        if (given) given[n] = (char)c;
        n++;
        c = EOF;
    }
    back(in, c);
    if (n == 0 || (kind == 'c' && n < width && in->ended && n == 0)) {
        if (made) ics_shared_free(made);
        return in->ended ? NO_INPUT : NO_MATCH;
    }
    if (made && kind != 'c') made[n] = 0;
    if (given && kind != 'c') given[n] = 0;
    if (owner) *owner = made;
    return STORED;
}

static enum outcome convert(struct ics_source *in, struct ics_directive *d, va_list *ap) {
    if (d->conversion != 'c' && d->conversion != '[' && d->conversion != 'n') skip_space(in);
    in->start = in->taken;
    switch (d->conversion) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
    case 'p': return integer(in, d, ap);
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': return floating(in, d, ap);
    case 's':
    case 'c':
    case '[': return characters(in, d, ap);
    case 'n':
        if (!d->suppress) ics_store_integer(d, va_arg(*ap, void *), (unsigned long)in->taken);
        return STORED;
    case '%': {
        int c = next(in);
        if (c == '%') return STORED;
        back(in, c);
        return c == EOF ? NO_INPUT : NO_MATCH;
    }
    default: return NO_MATCH;
    }
}

/* The same for the argument with the directive's number; all are pointers. */
static enum outcome convert_numbered(struct ics_source *in, struct ics_directive *d, va_list arguments) {
    va_list ap;
    va_copy(ap, arguments);
    for (int i = 1; i < d->position; i++) (void)va_arg(ap, void *);
    enum outcome outcome = convert(in, d, &ap);
    va_end(ap);
    return outcome;
}

int ics_scan(struct ics_source *in, const char *format, va_list arguments) {
    va_list ap;
    va_copy(ap, arguments);
    int stored = 0;
    enum outcome outcome = STORED;
    for (const char *p = format; *p && outcome == STORED;) {
        if (space((unsigned char)*p)) {
            skip_space(in);
            p++;
        } else if (*p != '%') {
            int c = next(in);
            if (c != (unsigned char)*p++) {
                back(in, c);
                outcome = c == EOF ? NO_INPUT : NO_MATCH;
            }
        } else {
            struct ics_directive d;
            p = ics_parse_directive(&d, p + 1);
            in->ended = 0;
            outcome = d.position ? convert_numbered(in, &d, arguments) : convert(in, &d, &ap);
            stored += outcome == STORED && !d.suppress && d.conversion != 'n' && d.conversion != '%';
        }
    }
    va_end(ap);
    return outcome == NO_INPUT && stored == 0 ? EOF : stored;
}
