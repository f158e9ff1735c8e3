/* Streams over memory and over functions of the program: open_memstream, fmemopen, fopencookie. Concrete domain only;
 * stdio.c does the buffering and calls here where another stream has a descriptor. */
#include "ics.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ics_memory.h"
#include "ics_stdio.h"

enum kind { GROWING, FIXED, COOKIE };

struct memory {
    enum kind kind;
    char *data;
    size_t size;          /* GROWING: allocated; FIXED: of the buffer */
    size_t at, end;       /* the position; how much has been written */
    char **result;        /* GROWING: where the program looks */
    size_t *result_size;
    int append, own;
    void *cookie;
    cookie_io_functions_t functions;
};

static struct memory *behind(FILE *f) {
    return f->_freeres_buf;
}

static FILE *open_memory(struct memory what, int flags) {
    struct memory *m = malloc(sizeof *m);
    *m = what;
    FILE *f = ics_new_stream(-1, flags | ICS_MEMORY);
    f->_freeres_buf = m;
    return f;
}

/* Room for n more bytes and a NUL at the position; zeros where nothing was written. */
static void grow(struct memory *m, size_t n) {
    size_t needed = m->at + n + 1;
    if (needed > m->size) {
        size_t bigger = 2 * m->size > needed ? 2 * m->size : needed;
        m->data = ics_shared_realloc(m->data, bigger);
        __ics_memset(m->data + m->size, 0, bigger - m->size);
        m->size = bigger;
    }
}

static void publish(struct memory *m) {
    grow(m, 0);
    if (m->at >= m->end) m->data[m->at] = 0;
    *m->result = m->data;
    *m->result_size = m->at;
}

static long write_fixed(struct memory *m, const char *p, size_t n) {
    size_t at = m->append ? m->end : m->at, ends_with_nul = n && p[n - 1] == 0;
    if (at + n > m->size) {
        if (at + !ends_with_nul >= m->size) {
            errno = ENOSPC;
            return 0;
        }
        n = m->size - at;
    }
    __ics_memcpy(m->data + at, p, n);
    m->at = at + n;
    if (m->at <= m->end) return (long)n;
    m->end = m->at;
    if (m->end < m->size && !ends_with_nul) m->data[m->end] = 0;
    else if (!m->append && !ends_with_nul) m->data[m->size - 1] = 0;
    return (long)n;
}

long ics_memory_write(FILE *f, const char *p, size_t n) {
    struct memory *m = behind(f);
    if (m->kind == COOKIE) return m->functions.write ? m->functions.write(m->cookie, p, n) : (long)n;
    if (m->kind == FIXED) return write_fixed(m, p, n);
    grow(m, n);
    __ics_memcpy(m->data + m->at, p, n);
    m->at += n;
    if (m->at > m->end) m->end = m->at;
    return (long)n;
}

long ics_memory_read(FILE *f, char *to, size_t n) {
    struct memory *m = behind(f);
    if (m->kind == COOKIE) return m->functions.read ? m->functions.read(m->cookie, to, n) : 0;
    n = m->at < m->end ? ICS_MIN(n, m->end - m->at) : 0;
    __ics_memcpy(to, m->data + m->at, n);
    m->at += n;
    return (long)n;
}

long ics_memory_seek(FILE *f, long offset, int whence) {
    struct memory *m = behind(f);
    if (m->kind == COOKIE) {
        if (m->functions.seek && m->functions.seek(m->cookie, &offset, whence) == 0) return offset;
        if (!m->functions.seek) errno = ENOTSUP;
        return -1;
    }
    long to = offset + (whence == SEEK_SET ? 0 : whence == SEEK_CUR ? (long)m->at : (long)m->end);
    if (to < 0 || (m->kind == FIXED && (size_t)to > m->size)) {
        errno = EINVAL;
        return -1;
    }
    m->at = (size_t)to;
    return to;
}

/* After a flush. */
void ics_memory_flushed(FILE *f) {
    struct memory *m = behind(f);
    if (m->kind == GROWING) publish(m);
}

int ics_memory_close(FILE *f) {
    struct memory *m = behind(f);
    int result = 0;
    if (m->kind == COOKIE && m->functions.close) result = m->functions.close(m->cookie);
    if (m->kind == FIXED && m->own) free(m->data);
    free(m);
    return result;
}

FILE *open_memstream(char **text, size_t *size) {
    if (__ics_is_symbolic_domain()) __ics_unsupported("open_memstream in the symbolic domain");
    struct memory m = {.kind = GROWING, .data = ics_shared_calloc(1, 1024), .size = 1024, .result = text, .result_size = size};
    FILE *f = open_memory(m, ICS_NO_READ);
    publish(behind(f));
    return f;
}

FILE *fmemopen(void *buffer, size_t size, const char *mode) {
    if (__ics_is_symbolic_domain()) __ics_unsupported("fmemopen in the symbolic domain");
    int open_flags, flags = ics_mode_flags(mode, &open_flags);
    if (flags < 0) return 0;
    struct memory m = {.kind = FIXED, .data = buffer, .size = size, .own = !buffer, .append = *mode == 'a'};
    if (!buffer) {
        m.data = malloc(size ? size : 1);
        m.data[0] = 0;
    } else {
        if (*mode == 'w' && strchr(mode, '+')) m.data[0] = 0;
    }
    /* What is in the buffer matters to streams that append only: it may be anything where the buffer is new. */
    if (*mode == 'r') m.end = size;
    if (*mode == 'a') m.at = m.end = buffer ? strnlen(m.data, size) : 0;
    return open_memory(m, flags & ~ICS_APPEND);
}

FILE *fopencookie(void *cookie, const char *mode, cookie_io_functions_t functions) {
    if (__ics_is_symbolic_domain()) __ics_unsupported("fopencookie in the symbolic domain");
    int open_flags, flags = ics_mode_flags(mode, &open_flags);
    if (flags < 0) return 0;
    return open_memory((struct memory){.kind = COOKIE, .cookie = cookie, .functions = functions}, flags);
}
