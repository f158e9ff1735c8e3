/* printf with numbered arguments, "%2$s %1$*3$d": all arguments are fetched first, by the types that the directives
 * say; then each directive is formatted by itself from a list of arguments that is made for it. */
#include "ics.h"

#include <errno.h>
#include <string.h>

#include "ics_stdio.h"

enum { MOST = 64, TEXT = 64 };
enum class { ABSENT, WORD, DOUBLE, LONG_DOUBLE };

struct argument {
    enum class class;
    union {
        unsigned long word;
        double number;
        long double wide;
    } value;
};

/* A directive without its numbers, and the numbers: of width, precision and value, as far as there are any. */
struct directive {
    char text[TEXT];
    int numbers[3];
    int count;
    enum class class; /* of the value */
};

static const char *number(const char *p, int *value) {
    *value = 0;
    while (*p >= '0' && *p <= '9') *value = *value * 10 + (*p++ - '0');
    return p;
}

static enum class class_of(char conversion, int wide) {
    if (conversion == '%' || conversion == 'm') return ABSENT;
    if (strchr("aAeEfFgG", conversion)) return wide ? LONG_DOUBLE : DOUBLE;
    return WORD;
}

/* Reads a directive behind its '%'; null if it is not one with numbers. */
static const char *parse(struct directive *d, const char *p) {
    int own = 0, wide = 0;
    size_t n = 0;
    __ics_memset(d, 0, sizeof *d);
    d->text[n++] = '%';
    const char *after = number(p, &own);
    if (*after == '$') p = after + 1;
    else own = 0;
    for (; *p && strchr("-+ #0'I.*123456789hlqjzZtL", *p) && n < TEXT - 2; p++) {
        d->text[n++] = *p;
        wide |= *p == 'L';
        if (*p != '*') continue;
        const char *end = number(p + 1, &d->numbers[d->count]);
        if (*end != '$' || d->numbers[d->count++] == 0 || d->count > 2) return 0;
        p = end;
    }
    if (!*p) return 0;
    d->text[n] = *p;
    d->class = class_of(*p, wide);
    if (d->class != ABSENT) d->numbers[d->count++] = own;
    for (int i = 0; i < d->count; i++)
        if (d->numbers[i] < 1 || d->numbers[i] > MOST) return 0;
    return p + 1;
}

/* The classes of all arguments that the format uses; how many there are, or -1. */
static int classify(struct argument *all, const char *format) {
    int most = 0;
    for (const char *p = strchr(format, '%'); p; p = strchr(p, '%')) {
        struct directive d;
        p = parse(&d, p + 1);
        if (!p) return -1;
        for (int i = 0; i < d.count; i++) {
            int last = i == d.count - 1 && d.class != ABSENT;
            all[d.numbers[i] - 1].class = last ? d.class : WORD;
            if (d.numbers[i] > most) most = d.numbers[i];
        }
    }
    return most;
}

/* A list of arguments that all lie in memory. */
static void point_to(va_list ap, void *slots) {
    ap->gp_offset = 48;
    ap->fp_offset = 176;
    ap->overflow_arg_area = slots;
    ap->reg_save_area = 0;
}

static int put(struct ics_sink *sink, const struct directive *d, const struct argument *all) {
    _Alignas(16) unsigned long slots[8];
    size_t n = 0;
    for (int i = 0; i < d->count; i++) {
        const struct argument *a = &all[d->numbers[i] - 1];
        if (a->class == LONG_DOUBLE) n += n & 1;
        size_t words = a->class == LONG_DOUBLE ? 2 : 1;
        __ics_memcpy(&slots[n], &a->value, 8 * words);
        n += words;
    }
    va_list ap;
    point_to(ap, slots);
    return ics_format(sink, d->text, ap);
}

int ics_format_positional(struct ics_sink *sink, const char *format, va_list arguments) {
    struct argument all[MOST];
    __ics_memset(all, 0, sizeof all);
    int most = classify(all, format), result = 0;
    if (most < 0) {
        errno = EINVAL;
        return -1;
    }
    va_list ap;
    va_copy(ap, arguments);
    for (int i = 0; i < most; i++) {
        if (all[i].class == DOUBLE) all[i].value.number = va_arg(ap, double);
        else if (all[i].class == LONG_DOUBLE) all[i].value.wide = va_arg(ap, long double);
        else all[i].value.word = va_arg(ap, unsigned long);
    }
    va_end(ap);
    for (const char *p = format; *p && result >= 0;) {
        const char *percent = strchr(p, '%');
        size_t n = percent ? (size_t)(percent - p) : strlen(p);
        ics_put(sink, p, n);
        p += n;
        if (!percent) break;
        struct directive d;
        p = parse(&d, p + 1);
        result = put(sink, &d, all);
    }
    return result < 0 ? result : (int)sink->count;
}
