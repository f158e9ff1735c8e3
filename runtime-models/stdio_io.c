/* Characters, lines and blocks of streams. */
#include "ics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ics_files.h"
#include "ics_stdio.h"

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

char *__fgets_chk(char *to, size_t room, int size, FILE *f) {
    return fgets(to, size, f);
}

ssize_t getdelim(char **line, size_t *size, int delimiter, FILE *f) {
    if (!line || !size) {
        errno = EINVAL;
        return -1;
    }
    if (__ics_is_symbolic_domain() && ics_file(f->_fileno) && ics_file(f->_fileno)->kind == ICS_INPUT_FILE)
        __ics_unsupported("getline on a file whose content is not named (--sym-file, --sym-stdin)");
    size_t n = 0;
    int c = 0;
    while (n == 0 || c != delimiter) {
        c = ics_getc(f);
        if (c == EOF) break;
        if (!*line || n + 2 > *size) {
            size_t bigger = *line && *size ? 2 * *size : 120;
            if (bigger < n + 2) bigger = n + 2;
            *line = realloc(*line, bigger);
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

int feof(FILE *f) {
    return (f->_flags & ICS_EOF) != 0;
}

int ferror(FILE *f) {
    return (f->_flags & ICS_ERROR) != 0;
}

void clearerr(FILE *f) {
    f->_flags &= ~(ICS_EOF | ICS_ERROR);
}

int fileno(FILE *f) {
    return f->_fileno;
}

void rewind(FILE *f) {
    fseek(f, 0, SEEK_SET);
    f->_flags &= ~ICS_ERROR;
}

int fseeko(FILE *f, off_t offset, int whence) {
    return fseek(f, offset, whence);
}

int fseeko64(FILE *f, off_t offset, int whence) {
    return fseek(f, offset, whence);
}

off_t ftello(FILE *f) {
    return ftell(f);
}

off_t ftello64(FILE *f) {
    return ftell(f);
}

/* A stream is used by one thread at a time anyway; holding it for longer orders nothing here. */
void flockfile(FILE *f) {
}

void funlockfile(FILE *f) {
}

int ftrylockfile(FILE *f) {
    return 0;
}

/* The unlocked names. */
int getc_unlocked(FILE *f) {
    return ics_getc(f);
}

int fgetc_unlocked(FILE *f) {
    return ics_getc(f);
}

int getchar_unlocked(void) {
    return ics_getc(stdin);
}

int putc_unlocked(int c, FILE *f) {
    return fputc(c, f);
}

int fputc_unlocked(int c, FILE *f) {
    return fputc(c, f);
}

int putchar_unlocked(int c) {
    return fputc(c, stdout);
}

int fputs_unlocked(const char *s, FILE *f) {
    return fputs(s, f);
}

char *fgets_unlocked(char *to, int size, FILE *f) {
    return fgets(to, size, f);
}

size_t fread_unlocked(void *to, size_t size, size_t n, FILE *f) {
    return fread(to, size, n, f);
}

size_t fwrite_unlocked(const void *p, size_t size, size_t n, FILE *f) {
    return fwrite(p, size, n, f);
}

int feof_unlocked(FILE *f) {
    return feof(f);
}

int ferror_unlocked(FILE *f) {
    return ferror(f);
}

int fflush_unlocked(FILE *f) {
    return fflush(f);
}

int fileno_unlocked(FILE *f) {
    return f->_fileno;
}
