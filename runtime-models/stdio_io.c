/* Characters, lines and blocks of streams. */
#include "ics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ics_files.h"
#include "ics_memory.h"
#include "ics_stdio.h"
#include "ics_string.h"

#undef getc
#undef putc
#undef getchar
#undef putchar
#undef feof
#undef ferror
#undef clearerr
#undef fread_unlocked
#undef fwrite_unlocked

int fputc(int c, FILE *f) {
    char byte = (char)c;
    return ics_write(f, &byte, 1) == 1 ? (unsigned char)c : EOF;
}

int putc(int c, FILE *f) {
    return fputc(c, f);
}

int _IO_putc(int c, FILE *f) {
    return fputc(c, f);
}

int __overflow(FILE *f, int c) {
    return fputc(c, f);
}

int putchar(int c) {
    return fputc(c, stdout);
}

int fputs(const char *s, FILE *f) {
    if (__ics_is_symbolic_domain()) return 1;
    size_t n = strlen(s);
    return ics_write(f, s, n) == n ? 1 : EOF;
}

int puts(const char *s) {
    if (__ics_is_symbolic_domain()) {
        unsigned long n = strlen(s) + 1;
        return (int)n;
    }
    size_t n = strlen(s);
    if (ics_write(stdout, s, n) != n || ics_write(stdout, "\n", 1) != 1) return EOF;
    return (int)n + 1;
}

size_t fwrite(const void *p, size_t size, size_t n, FILE *f) {
    if (size == 0 || n == 0) return 0;
    size_t bytes = size * n, done = ics_write(f, p, bytes);
    return done == bytes ? n : done / size;
}

int putw(int w, FILE *f) {
    return fwrite(&w, sizeof w, 1, f) == 1 ? 0 : EOF;
}

int fgetc(FILE *f) {
    return ics_getc(f);
}

int getc(FILE *f) {
    return ics_getc(f);
}

int _IO_getc(FILE *f) {
    return ics_getc(f);
}

int getchar(void) {
    return ics_getc(stdin);
}

/* What the macros call when the buffer is empty: the next byte, read or only looked at. */
int __uflow(FILE *f) {
    return ics_getc(f);
}

int __underflow(FILE *f) {
    int c = ics_getc(f);
    if (c != EOF) ics_ungetc(f, c);
    return c;
}

int ungetc(int c, FILE *f) {
    if (c == EOF) return EOF;
    ics_ungetc(f, c);
    return (unsigned char)c;
}

int getw(FILE *f) {
    int w;
    return fread(&w, sizeof w, 1, f) == 1 ? w : EOF;
}

/* Gone from C11, but old programs call it: a line of any length. */
char *gets(char *to) {
    char *p = to;
    int c;
    if (__ics_is_symbolic_domain()) __ics_unsupported("gets");
    while ((c = ics_getc(stdin)) != EOF && c != '\n') *p++ = (char)c;
    if (c == EOF && p == to) return 0;
    *p = 0;
    return to;
}

char *__gets_chk(char *to, size_t room) {
    return gets(to);
}

char *fgets(char *to, int size, FILE *f) {
    if (size <= 0) return 0;
    if (__ics_is_symbolic_domain()) return ics_symbolic_line(f, to, (size_t)size - 1);
    int n = 0, c = 0;
    while (n < size - 1 && c != '\n') {
        c = ics_getc(f);
        if (c == EOF) break;
        to[n++] = (char)c;
    }
    if (n == 0 && size > 1) return 0;
    to[n] = 0;
    return to;
}

/* A line that is an input: where it is put has room for all that is left of the file. */
static ssize_t line_of(char **line, size_t *size, FILE *f) {
    size_t most = (size_t)ics_file(f->_fileno)->size;
    if (!*line || *size < most + 1) {
        size_t room = most < 119 ? 120 : most + 1;
        char *longer = ics_shared_realloc(*line, room);
        if (!longer) return -1;
        *line = longer;
        *size = room;
    }
    if (!ics_symbolic_line(f, *line, most)) return -1;
    /* A line may have NULs: then it is longer than its string. */
    unsigned long length = ics_symbolic_strlen(*line), behind = __ics_input("bytes behind NUL", 31);
    __ics_assume(length + behind <= most);
    return (ssize_t)(length + behind);
}

ssize_t getdelim(char **line, size_t *size, int delimiter, FILE *f) {
    if (!line || !size) {
        errno = EINVAL;
        return -1;
    }
    if (__ics_is_symbolic_domain() && ics_file(f->_fileno) && ics_file(f->_fileno)->kind == ICS_INPUT_FILE)
        __ics_unsupported("getline on a file whose content is not named (--sym-file, --sym-stdin)");
    if (delimiter == '\n' && ics_has_lines(f)) return line_of(line, size, f);
    size_t n = 0;
    int c = 0;
    while (n == 0 || c != delimiter) {
        c = ics_getc(f);
        if (c == EOF) break;
        if (!*line || n + 2 > *size) {
            size_t bigger = *line && *size ? 2 * *size : 120;
            if (bigger < n + 2) bigger = n + 2;
            char *longer = ics_shared_realloc(*line, bigger);
            if (!longer) return -1;
            *line = longer;
            *size = bigger;
        }
        (*line)[n++] = (char)c;
    }
    if (n == 0) return -1;
    (*line)[n] = 0;
    return (ssize_t)n;
}

ssize_t __getdelim(char **line, size_t *size, int delimiter, FILE *f) {
    return getdelim(line, size, delimiter, f);
}

ssize_t getline(char **line, size_t *size, FILE *f) {
    return getdelim(line, size, '\n', f);
}

size_t fread(void *to, size_t size, size_t n, FILE *f) {
    if (size == 0 || n == 0) return 0;
    size_t bytes = size * n, done = 0;
    if (__ics_is_symbolic_domain()) return ics_symbolic_fread(f, to, bytes) / size;
    while (done < bytes) {
        size_t ready = (size_t)(f->_IO_read_end - f->_IO_read_ptr);
        if (ready == 0) {
            int c = ics_getc(f);
            if (c == EOF) break;
            ((char *)to)[done++] = (char)c;
            continue;
        }
        ready = ICS_MIN(ready, bytes - done);
        __ics_memcpy((char *)to + done, f->_IO_read_ptr, ready);
        f->_IO_read_ptr += ready;
        done += ready;
    }
    return done / size;
}
