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

/* "scanf", "scanf_2", ...: the name of the input of the given conversion. */
static void name_of(char *to, const char *stem, int index) {
    size_t n = strlen(stem);
    __ics_memcpy(to, stem, n + 1);
    if (index < 2) return;
    to[n++] = '_';
    if (index >= 10) to[n++] = (char)('0' + index / 10 % 10);
    to[n++] = (char)('0' + index % 10);
    to[n] = 0;
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

int ics_scan_symbolic(struct ics_source *in, const char *format, va_list arguments) {
    const char *stem = in->stream ? "scanf" : "sscanf";
    char name[16];
    int conversions = 0;
    va_list ap;
    va_copy(ap, arguments);
    for (const char *p = format; *p;) {
        if (*p++ != '%') continue;
        struct ics_directive d;
        p = ics_parse_directive(&d, p);
        if (d.conversion == '%' || d.conversion == 0 || d.suppress) continue;
        name_of(name, stem, d.conversion == 'n' ? conversions : ++conversions);
        if (d.position) store_numbered(in, &d, name, arguments);
        else store(in, &d, name, &ap);
    }
    va_end(ap);
    int count = (int)value_of(in, in->stream ? "scanf_count" : "sscanf_count", 32);
    __ics_assume((count >= EOF) & (count <= conversions));
    if (!in->stream) return count;
    struct ics_file *f = ics_file(in->stream->_fileno);
    if (f && f->kind == ICS_SYMBOLIC_FILE) {
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
