/* Streams in the symbolic domain. There is no buffer: output is a sink, input is computed from the file's bytes and
 * its offset, which becomes a term once a line's length does; no character is branched on. */
#include "ics.h"

#include "ics_files.h"
#include "ics_stdio.h"

size_t ics_symbolic_write(FILE *f, const char *p, size_t n) {
    return n;
}

int ics_symbolic_getc(FILE *stream) {
    struct ics_file *f = ics_file(stream->_fileno);
    if (!f) return EOF;
    if (f->pushed_back) {
        int c = f->pushed_back - 1;
        f->pushed_back = 0;
        return c;
    }
    int c;
    if (f->kind == ICS_INPUT_FILE) {
        c = (int)__ics_input("getc", 32);
        __ics_assume((c >= -1) & (c <= 255));
    } else {
        ics_forget_lines(f);
        unsigned long inside = f->offset < f->size;
        unsigned char byte = (unsigned char)f->content[__ics_select(inside, (unsigned long)f->offset, 0)];
        c = (int)__ics_select(inside, byte, (unsigned long)EOF);
        f->offset += (long)inside;
    }
    stream->_flags |= (int)__ics_select(c == EOF, ICS_EOF, 0);
    return c;
}

void ics_symbolic_ungetc(FILE *stream, int c) {
    struct ics_file *f = ics_file(stream->_fileno);
    if (!f) return;
    /* Usually the byte that was just read: step back, so that nothing depends on what it is. */
    if (f->kind == ICS_SYMBOLIC_FILE && !__ics_is_symbolic((unsigned long)f->offset) && f->offset > 0) f->offset--;
    else f->pushed_back = (unsigned char)c + 1;
}

void ics_forget_lines(struct ics_file *f) {
    if (!__ics_is_symbolic((unsigned long)f->lines) && f->lines == 0) return;
    unsigned long offset = __ics_input("offset", 63);
    __ics_assume((long)offset <= f->size);
    f->offset = (long)offset;
    f->lines = 0;
}

/* "line 2 of NAME"; "line of NAME" if nobody knows which. */
static void name_line(char *to, size_t size, const struct ics_file *f) {
    char *const end = to + size - 1;
    __ics_memcpy(to, "line", 4);
    to += 4;
    if (!__ics_is_symbolic((unsigned long)f->lines)) {
        char digits[12];
        int n = 0;
        for (int left = f->lines; left; left /= 10) digits[n++] = (char)('0' + left % 10);
        *to++ = ' ';
        while (n) *to++ = digits[--n];
    }
    if (!__ics_is_unknown((unsigned long)f->name) && !(f->name && __ics_string_symbolic(f->name))) {
        __ics_memcpy(to, " of ", 4);
        to += 4;
        for (const char *p = f->name ? f->name : "stdin"; *p && to < end; p++) *to++ = *p;
    }
    *to = 0;
}

/* A line is an input of its own, and so is whether there is one. A file has no more lines than bytes. */
static char *line_as_input(FILE *stream, struct ics_file *f, char *to, size_t n) {
    char name[64];
    int is_counted = !__ics_is_symbolic((unsigned long)f->lines);
    if (n == 0) {
        *to = 0;
        return to;
    }
    if (!__ics_is_symbolic((unsigned long)stream->_flags) && (stream->_flags & ICS_EOF)) return 0;
    if (is_counted && f->lines >= f->size) {
        stream->_flags |= ICS_EOF;
        return 0;
    }
    if (is_counted) n = ICS_MIN(n, (size_t)(f->size - f->lines));
    /* A file that is not empty has a first line. */
    int is_first = is_counted && f->lines == 0 && !__ics_is_symbolic((unsigned long)f->offset) && f->offset == 0;
    f->lines++;
    name_line(name, sizeof name, f);
    if (!is_first && (__ics_input(name, 1) & 1) == 0) {
        stream->_flags |= ICS_EOF;
        return 0;
    }
    __ics_input_bytes(to, n, name);
    to[n] = 0;
    return to;
}

int ics_has_lines(FILE *stream) {
    if (!__ics_is_symbolic_domain() || __ics_is_exact()) return 0;
    struct ics_file *f = ics_file(stream->_fileno);
    return f && f->kind == ICS_SYMBOLIC_FILE && __ics_any_symbolic(f->content, (size_t)f->size);
}

char *ics_symbolic_line(FILE *stream, char *to, size_t n) {
    struct ics_file *f = ics_file(stream->_fileno);
    if (!f) return 0;
    if (f->kind == ICS_INPUT_FILE) {
        unsigned long got = __ics_input("fgets", 1) & 1;
        stream->_flags |= (int)__ics_select(got, 0, ICS_EOF);
        if (!got) return 0;
        __ics_input_bytes(to, n, "fgets.line");
        to[n] = 0;
        return to;
    }
    if (ics_has_lines(stream)) return line_as_input(stream, f, to, n);
    unsigned long left = (unsigned long)(f->size - f->offset), count = 0, ended = 0;
    n = ICS_MIN(n, (size_t)f->size);
    for (size_t i = 0; i < n && (__ics_is_symbolic(ended) || !ended); i++) {
        unsigned long take = (ended == 0) & (i < left);
        unsigned char byte = (unsigned char)f->content[__ics_select(take, (unsigned long)f->offset + i, 0)];
        /* the NUL is written behind the last byte, once; what follows keeps its value */
        unsigned long kept = __ics_select(count == i, 0, (unsigned char)to[i]);
        to[i] = (char)__ics_select(take, byte, kept);
        count += take;
        ended |= (take == 0) | (byte == '\n');
    }
    if (count == 0) {
        stream->_flags |= ICS_EOF;
        return 0;
    }
    to[count] = 0;
    f->offset += (long)count;
    return to;
}

size_t ics_symbolic_fread(FILE *stream, void *to, size_t n) {
    struct ics_file *f = ics_file(stream->_fileno);
    if (!f || n == 0) return 0;
    unsigned long count = ics_file_read(f, to, n);
    count = __ics_select((long)count < 0, 0, count);
    stream->_flags |= (int)__ics_select(count < n, ICS_EOF, 0);
    return count;
}
