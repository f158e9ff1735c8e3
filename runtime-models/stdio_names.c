/* What is asked of a stream, and the further names of its operations. */
#include "ics.h"

#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include "ics_stdio.h"

#undef feof_unlocked
#undef ferror_unlocked
#undef clearerr_unlocked

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

int fseek(FILE *f, long offset, int whence) {
    return fseeko(f, offset, whence);
}

int fseeko64(FILE *f, off64_t offset, int whence) {
    return fseeko(f, offset, whence);
}

long ftell(FILE *f) {
    return ftello(f);
}

off64_t ftello64(FILE *f) {
    return ftello(f);
}

int fgetpos(FILE *f, fpos_t *at) {
    off_t offset = ftello(f);
    if (offset < 0) return -1;
    __ics_memset(at, 0, sizeof *at);
    at->__pos = offset;
    return 0;
}

int fgetpos64(FILE *f, fpos64_t *at) {
    return fgetpos(f, (fpos_t *)at);
}

int fsetpos(FILE *f, const fpos_t *at) {
    return fseeko(f, at->__pos, SEEK_SET);
}

int fsetpos64(FILE *f, const fpos64_t *at) {
    return fseeko(f, at->__pos, SEEK_SET);
}

/* --- what is buffered --- */

size_t __fbufsize(FILE *f) {
    return (size_t)(f->_IO_buf_end - f->_IO_buf_base);
}

size_t __fpending(FILE *f) {
    return (size_t)(f->_IO_write_ptr - f->_IO_write_base);
}

int __flbf(FILE *f) {
    return (f->_flags2 & ICS_LINE) != 0;
}

int __freadable(FILE *f) {
    return !(f->_flags2 & ICS_NO_READ);
}

int __fwritable(FILE *f) {
    return !(f->_flags2 & ICS_NO_WRITE);
}

int __freading(FILE *f) {
    return f->_flags2 & ICS_NO_WRITE || f->_IO_read_end > f->_IO_read_base;
}

int __fwriting(FILE *f) {
    return f->_flags2 & ICS_NO_READ || f->_IO_write_ptr > f->_IO_write_base;
}

void __fpurge(FILE *f) {
    f->_IO_read_ptr = f->_IO_read_end = f->_IO_write_ptr = f->_IO_write_base = f->_IO_buf_base;
    f->_IO_write_end = f->_IO_buf_base;
}

int __fsetlocking(FILE *f, int type) {
    return FSETLOCKING_INTERNAL;
}

void _flushlbf(void) {
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

void clearerr_unlocked(FILE *f) {
    clearerr(f);
}

/* --- with the sizes that _FORTIFY_SOURCE adds: what is too small is found by the memory checks --- */

char *__fgets_chk(char *to, size_t room, int size, FILE *f) {
    return fgets(to, size, f);
}

char *__fgets_unlocked_chk(char *to, size_t room, int size, FILE *f) {
    return fgets(to, size, f);
}

size_t __fread_chk(void *to, size_t room, size_t size, size_t n, FILE *f) {
    return fread(to, size, n, f);
}

size_t __fread_unlocked_chk(void *to, size_t room, size_t size, size_t n, FILE *f) {
    return fread(to, size, n, f);
}
