/* The scanf family on symbolic bytes, and the names of its members.
 *
 * Every conversion stores one new input (from a string: a pure function of the string), and the number of conversions
 * is an input between EOF and all of them. What a conversion that was not reached leaves unchanged is over-approximated
 * by a new input too. A string without a width is bounded by its buffer, so its overflow is not found. */
#include "ics.h"

#include <stdlib.h>
#include <string.h>

#include "ics_files.h"
#include "ics_memory.h"
#include "ics_scanf.h"
#include "ics_string.h"

#define NAME 160

/* Appends a format as a literal of C. Of a long one its beginning, and a number that tells it from others. */
static char *append_format(char *to, const char *end, const char *format) {
    unsigned long sum = 5381;
    for (const char *p = format; *p; p++) sum = sum * 33 + (unsigned char)*p;
    *to++ = '"';
    for (; *format && to < end - 24; format++) {
        if (*format == '"' || *format == '\\') *to++ = '\\';
        if (*format == '\n' || *format == '\t') *to++ = '\\';
        *to++ = *format == '\n' ? 'n' : *format == '\t' ? 't' : *format;
    }
    if (*format) {
        for (*to++ = '~'; sum; sum /= 10) *to++ = (char)('0' + sum % 10);
    }
    *to++ = '"';
    return to;
}

/* "scanf", "scanf_2", ...: the name of the input of the given conversion. What a string gives depends on the format,
 * too: "sscanf_2, FORMAT" is printed as `sscanf_2(STRING, FORMAT)`. */
static void name_of(char *to, const char *stem, int index, const char *format) {
    char *const end = to + NAME;
    while (*stem) *to++ = *stem++;
    if (index >= 2) {
        *to++ = '_';
        if (index >= 10) *to++ = (char)('0' + index / 10 % 10);
        *to++ = (char)('0' + index % 10);
    }
    if (format) {
        *to++ = ',';
        *to++ = ' ';
        to = append_format(to, end, format);
    }
    *to = 0;
}

/* The function of the C library that reads the number of a format that is one number and no more; null if there is
 * none. */
static const char *reads_number(const char *format) {
    if (*format++ != '%') return 0;
    struct ics_directive d;
    if (*ics_parse_directive(&d, format) || d.suppress || d.width || d.position) return 0;
    if (d.conversion == 'd') return d.size == 4 ? "atoi" : d.size == 8 ? "atol" : 0;
    return d.conversion == 'u' && d.size >= 4 ? "strtoul" : 0;
}

/* What a format begins with that stands for itself is compared: how many characters these are. */
static size_t literal(const char *format) {
    size_t n = 0;
    while (format[n] && format[n] != '%' && !(format[n] == ' ' || (format[n] >= '\t' && format[n] <= '\r'))) n++;
    return n;
}

static unsigned long value_of(struct ics_source *in, const char *name, unsigned bits) {
    return in->stream ? __ics_input(name, bits) : ics_ask(name, in->text, bits);
}

static void store_text(struct ics_source *in, struct ics_directive *d, const char *name, va_list *ap) {
    size_t width = d->width ? (size_t)d->width : d->conversion == 'c' ? 1 : (size_t)-1;
    size_t ending = d->conversion != 'c';
    char *to;
    if (d->allocate) {
        if (!d->width) __ics_unsupported("scanf of a string of any length (%ms) from symbolic input");
        to = ics_shared_malloc(width + 1);
        *va_arg(*ap, char **) = to;
    } else {
        to = va_arg(*ap, char *);
    }
    if (!d->width && !in->stream) width = ics_strlen_bound(in->text);
    /* Only asked where it is needed: the place in an array of inputs is an input too, and so is what room there is. */
    size_t room = d->width || !ending ? width + 1 : __ics_room(to);
    if (width >= room) width = room ? room - 1 : 0;
    __ics_input_bytes(to, width, name);
    if (ending) to[width] = 0;
}

static void store(struct ics_source *in, struct ics_directive *d, const char *name, va_list *ap) {
    switch (d->conversion) {
    case 's':
    case 'c':
    case '[': store_text(in, d, name, ap); return;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        if (d->size == 4) *va_arg(*ap, unsigned *) = (unsigned)value_of(in, name, 32);
        else if (d->size == 8) *va_arg(*ap, unsigned long *) = value_of(in, name, 64);
        else __ics_unsupported("scanf of a long double from symbolic input");
        return;
    case 'p': d->size = 8; /* fall through */
    default: ics_store_integer(d, va_arg(*ap, void *), value_of(in, name, 8u * d->size));
    }
}

/* The same for the argument with the directive's number; all are pointers. */
static void store_numbered(struct ics_source *in, struct ics_directive *d, const char *name, va_list arguments) {
    va_list ap;
    va_copy(ap, arguments);
    for (int i = 1; i < d->position; i++) (void)va_arg(ap, void *);
    store(in, d, name, &ap);
    va_end(ap);
}

/* From a string whose rest is one number: the number is what `atoi` or its like gives for it. */
static int scan_number(struct ics_source *in, const char *format, const char *function, va_list ap) {
    char name[NAME];
    name_of(name, "sscanf", 0, format);
    int count = (int)ics_ask(name, in->text, 32);
    __ics_assume((count >= EOF) & (count <= 1));
    if (count == 1) {
        struct ics_directive d;
        ics_parse_directive(&d, format + 1);
        unsigned bits = *function == 'a' && d.size == 4 ? 32 : 64;
        ics_store_integer(&d, va_arg(ap, void *), ics_ask(function, in->text, bits));
    }
    return count;
}

/* A string does not begin as its format does: it is another one, or it ends before. */
static int no_literal(struct ics_source *in, const char *format) {
    char name[NAME];
    name_of(name, "sscanf", 0, format);
    int count = (int)ics_ask(name, in->text, 32);
    __ics_assume((count == EOF) | (count == 0));
    return count;
}

int ics_scan_symbolic(struct ics_source *in, const char *format, va_list arguments) {
    if (in->text) {
        size_t n = literal(format);
        if (n && ics_symbolic_compare(in->text, format, n, ICS_COMPARE_STRING) != 0) return no_literal(in, format);
        in->text += n;
        format += n;
        if (!*format) return 0;
        const char *function = reads_number(format);
        if (function) {
            va_list own;
            va_copy(own, arguments);
            int count = scan_number(in, format, function, own);
            va_end(own);
            return count;
        }
    }
    const char *stem = in->stream ? "scanf" : "sscanf", *of = in->stream ? 0 : format;
    char name[NAME];
    int conversions = 0;
    va_list ap;
    va_copy(ap, arguments);
    for (const char *p = format; *p;) {
        if (*p++ != '%') continue;
        struct ics_directive d;
        p = ics_parse_directive(&d, p);
        if (d.conversion == '%' || d.conversion == 0 || d.suppress) continue;
        int is_text = d.conversion == 's' || d.conversion == 'c' || d.conversion == '[';
        name_of(name, stem, d.conversion == 'n' ? conversions : ++conversions, is_text ? 0 : of);
        if (d.position) store_numbered(in, &d, name, arguments);
        else store(in, &d, name, &ap);
    }
    va_end(ap);
    name_of(name, in->stream ? "scanf_count" : "sscanf_count", 0, of);
    int count = (int)value_of(in, name, 32);
    __ics_assume((count >= EOF) & (count <= conversions));
    if (!in->stream) return count;
    struct ics_file *f = ics_file(in->stream->_fileno);
    if (f && f->kind == ICS_SYMBOLIC_FILE) {
        ics_forget_lines(f);
        long after = (long)__ics_input("scanf_offset", 63);
        __ics_assume((after >= f->offset) & (after <= f->size));
        f->offset = after;
    }
    return count;
}

int vfscanf(FILE *f, const char *format, va_list ap);
int vsscanf(const char *s, const char *format, va_list ap);

/* Whether a content of some file was given. The engine says so before a search; where none was, code for text that is
 * known need not be looked at. */
int __ics_text_is_given;

/* Whether all of a file is known, as it is where its content was given. */
static int is_known(FILE *stream) {
    struct ics_file *f = ics_file(stream->_fileno);
    if (!f || __ics_is_unknown((unsigned long)f->kind) || f->kind != ICS_SYMBOLIC_FILE) return 0;
    if (__ics_is_unknown((unsigned long)f->content) || __ics_is_unknown((unsigned long)f->size)) return 0;
    return !__ics_any_symbolic(f->content, (size_t)f->size);
}

static int scan_stream(FILE *f, const char *format, va_list ap) {
    struct ics_source in = {.stream = f};
    return __ics_is_symbolic_domain() && !__ics_is_exact() && (!__ics_text_is_given || !is_known(f)) ? ics_scan_symbolic(&in, format, ap) : ics_scan(&in, format, ap);
}

static int scan_string(const char *s, const char *format, va_list ap) {
    struct ics_source in = {.text = s};
    return ics_symbolic_string(s) ? ics_scan_symbolic(&in, format, ap) : ics_scan(&in, format, ap);
}

/* Each family member under its plain name and the names that newer headers give it. */
#define V(prefix)                                                                                                   \
    int ics_v##prefix##1(FILE *f, const char *format, va_list ap) __asm__(#prefix "vfscanf");                       \
    int ics_v##prefix##1(FILE *f, const char *format, va_list ap) {                                                 \
        return scan_stream(f, format, ap);                                                                          \
    }                                                                                                               \
    int ics_v##prefix##2(const char *s, const char *format, va_list ap) __asm__(#prefix "vsscanf");                 \
    int ics_v##prefix##2(const char *s, const char *format, va_list ap) {                                           \
        return scan_string(s, format, ap);                                                                          \
    }                                                                                                               \
    int ics_v##prefix##3(const char *format, va_list ap) __asm__(#prefix "vscanf");                                 \
    int ics_v##prefix##3(const char *format, va_list ap) {                                                          \
        return scan_stream(stdin, format, ap);                                                                      \
    }
#define FORWARD(call)                                                                                               \
    va_list ap;                                                                                                     \
    va_start(ap, format);                                                                                           \
    int count = call;                                                                                               \
    va_end(ap);                                                                                                     \
    return count;
#define VARIADIC(prefix)                                                                                            \
    int ics_##prefix##1(FILE *f, const char *format, ...) __asm__(#prefix "fscanf");                                \
    int ics_##prefix##1(FILE *f, const char *format, ...) {                                                         \
        FORWARD(scan_stream(f, format, ap))                                                                         \
    }                                                                                                               \
    int ics_##prefix##2(const char *s, const char *format, ...) __asm__(#prefix "sscanf");                          \
    int ics_##prefix##2(const char *s, const char *format, ...) {                                                   \
        FORWARD(scan_string(s, format, ap))                                                                         \
    }                                                                                                               \
    int ics_##prefix##3(const char *format, ...) __asm__(#prefix "scanf");                                          \
    int ics_##prefix##3(const char *format, ...) {                                                                  \
        FORWARD(scan_stream(stdin, format, ap))                                                                     \
    }

V()
V(__isoc99_)
V(__isoc23_)
VARIADIC()
VARIADIC(__isoc99_)
VARIADIC(__isoc23_)
