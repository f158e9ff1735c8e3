/* The printf family, and the names that headers turn its calls into. */
#include "ics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ics_memory.h"
#include "ics_stdio.h"

_Noreturn void __chk_fail(void);

int vfprintf(FILE *f, const char *format, va_list ap) {
    if (__ics_is_symbolic_domain()) return ics_format_sink(format, ap);
    struct ics_sink sink = {.stream = f};
    /* An unbuffered stream gets one write per call, as in glibc. */
    char block[1024];
    if (f->_flags2 & ICS_UNBUFFERED) sink = (struct ics_sink){.to = block, .capacity = sizeof block};
    int count = ics_format(&sink, format, ap);
    if (!sink.stream && count > 0) {
        if ((size_t)count <= sizeof block) {
            ics_write(f, block, (size_t)count);
        } else {
            sink = (struct ics_sink){.stream = f};
            count = ics_format(&sink, format, ap);
        }
    }
    return f->_flags & ICS_ERROR ? -1 : count;
}

int vsnprintf(char *to, size_t size, const char *format, va_list ap) {
    size_t capacity = size ? size - 1 : 0;
    if (__ics_is_symbolic_domain()) return ics_format_symbolic(to, size, format, ap);
    struct ics_sink sink = {.to = to, .capacity = capacity};
    int count = ics_format(&sink, format, ap);
    if (size && count >= 0) to[ICS_MIN((size_t)count, capacity)] = 0;
    return count;
}

int vsprintf(char *to, const char *format, va_list ap) {
    return vsnprintf(to, (size_t)-1, format, ap);
}

int vprintf(const char *format, va_list ap) {
    return vfprintf(stdout, format, ap);
}

int vdprintf(int fd, const char *format, va_list ap) {
    if (__ics_is_symbolic_domain()) return ics_format_sink(format, ap);
    int count = vsnprintf(0, 0, format, ap);
    if (count <= 0) return count;
    char *text = __ics_malloc((size_t)count + 1, 0);
    vsnprintf(text, (size_t)count + 1, format, ap);
    ssize_t done = write(fd, text, (size_t)count);
    __ics_free(text);
    return done < 0 ? -1 : count;
}

/* Room for a text and its NUL. If its length is symbolic: for the longest (see ics_format_symbolic). */
static size_t room_for(int count) {
    size_t size = (size_t)count + 1;
    return __ics_is_symbolic(size) ? 4096 : size;
}

int vasprintf(char **to, const char *format, va_list ap) {
    int count = vsnprintf(0, 0, format, ap);
    if (count < 0) return count;
    size_t size = room_for(count);
    *to = ics_shared_malloc(size);
    return *to ? vsnprintf(*to, size, format, ap) : -1;
}

/* The same in memory that only models see. */
int ics_vasprintf(char **to, const char *format, va_list ap) {
    int count = vsnprintf(0, 0, format, ap);
    if (count < 0) return count;
    size_t size = room_for(count);
    *to = malloc(size);
    return vsnprintf(*to, size, format, ap);
}

/* A variadic function that calls the one with a va_list; the part before the format differs. */
#define FORWARD(call)                                                                                               \
    va_list ap;                                                                                                     \
    va_start(ap, format);                                                                                           \
    int count = call;                                                                                               \
    va_end(ap);                                                                                                     \
    return count

int printf(const char *format, ...) {
    FORWARD(vfprintf(stdout, format, ap));
}

int fprintf(FILE *f, const char *format, ...) {
    FORWARD(vfprintf(f, format, ap));
}

int sprintf(char *to, const char *format, ...) {
    FORWARD(vsnprintf(to, (size_t)-1, format, ap));
}

int snprintf(char *to, size_t size, const char *format, ...) {
    FORWARD(vsnprintf(to, size, format, ap));
}

int dprintf(int fd, const char *format, ...) {
    FORWARD(vdprintf(fd, format, ap));
}

int asprintf(char **to, const char *format, ...) {
    FORWARD(vasprintf(to, format, ap));
}

int __asprintf(char **to, const char *format, ...) {
    FORWARD(vasprintf(to, format, ap));
}

/* _FORTIFY_SOURCE */
int __printf_chk(int flag, const char *format, ...) {
    FORWARD(vfprintf(stdout, format, ap));
}

int __fprintf_chk(FILE *f, int flag, const char *format, ...) {
    FORWARD(vfprintf(f, format, ap));
}

static int sprintf_within(char *to, size_t room, const char *format, va_list ap) {
    if (__ics_is_symbolic_domain()) return vsnprintf(to, (size_t)-1, format, ap);
    int count = vsnprintf(to, room, format, ap);
    if (count >= 0 && (size_t)count >= room) __chk_fail();
    return count;
}

int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...) {
    FORWARD(sprintf_within(to, room, format, ap));
}

int __snprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, ...) {
    FORWARD(vsnprintf(to, size, format, ap));
}

int __dprintf_chk(int fd, int flag, const char *format, ...) {
    FORWARD(vdprintf(fd, format, ap));
}

int __asprintf_chk(char **to, int flag, const char *format, ...) {
    FORWARD(vasprintf(to, format, ap));
}

int __vprintf_chk(int flag, const char *format, va_list ap) {
    return vfprintf(stdout, format, ap);
}

int __vfprintf_chk(FILE *f, int flag, const char *format, va_list ap) {
    return vfprintf(f, format, ap);
}

int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list ap) {
    return sprintf_within(to, room, format, ap);
}

int __vdprintf_chk(int fd, int flag, const char *format, va_list ap) {
    return vdprintf(fd, format, ap);
}

int __vsnprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, va_list ap) {
    return vsnprintf(to, size, format, ap);
}

int __vasprintf_chk(char **to, int flag, const char *format, va_list ap) {
    return vasprintf(to, format, ap);
}
