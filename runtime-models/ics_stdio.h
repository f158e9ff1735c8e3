/* Streams. A FILE is glibc's own struct _IO_FILE with the meaning glibc gives the fields that its macros use
 * (getc_unlocked and the like are compiled into programs): the read range, the write range, the two flag bits, the
 * descriptor. What a stream is for stands in `_flags2`: it does not change while lines are read in a loop. */
#ifndef ICS_STDIO_H
#define ICS_STDIO_H

#include "ics.h"

#include <stdarg.h>
#include <stdio.h>

enum {
    ICS_EOF = 0x10,        /* _IO_EOF_SEEN */
    ICS_ERROR = 0x20,      /* _IO_ERR_SEEN */
    /* In _flags2. */
    ICS_UNBUFFERED = 0x02,
    ICS_LINE = 0x200,
    ICS_NO_READ = 0x04,
    ICS_NO_WRITE = 0x08,
    ICS_APPEND = 0x1000,
    ICS_OWN_BUFFER = 0x10000, /* the buffer is freed with the stream */
    ICS_STATIC = 0x20000,     /* one of the three standard streams */
    ICS_MEMORY = 0x40000,     /* fmemopen, open_memstream, fopencookie */
};

/* Buffered output; a sink in the symbolic domain. Returns the number of bytes taken. */
size_t ics_write(FILE *f, const char *p, size_t n);
/* Writes out what is buffered; EOF on error. */
int ics_flush(FILE *f);
/* Next byte or EOF; in the symbolic domain a value without a branch. */
int ics_getc(FILE *f);
void ics_ungetc(FILE *f, int c);

/* A stream over a descriptor (or, with ICS_MEMORY, none). */
FILE *ics_new_stream(int fd, int flags);
/* The flags of a stream of this mode, and those of its file; -1 with EINVAL. */
int ics_mode_flags(const char *mode, int *open_flags);

/* What stands in for the descriptor of a stream with ICS_MEMORY (stdio_memory.c). */
long ics_memory_write(FILE *f, const char *p, size_t n);
long ics_memory_read(FILE *f, char *to, size_t n);
long ics_memory_seek(FILE *f, long offset, int whence);
void ics_memory_flushed(FILE *f);
int ics_memory_close(FILE *f);

/* Where formatted output goes: a stream, or a buffer of `capacity` bytes of which the rest is cut off. */
struct ics_sink {
    FILE *stream;
    char *to;
    size_t capacity;
    size_t count;
    int failed; /* a character could not be written */
};

/* The formatting itself, of arguments that are constants; the count or -1. */
int ics_format(struct ics_sink *sink, const char *format, va_list ap);
/* The same from a directive on that has a numbered argument. */
int ics_format_positional(struct ics_sink *sink, const char *format, va_list ap);
void ics_put(struct ics_sink *sink, const char *p, size_t n);
void ics_pad(struct ics_sink *sink, char c, int n);

/* A conversion specification. */
struct ics_spec {
    unsigned char minus, plus, space, alternate, zero;
    unsigned char size;  /* bytes of the argument: 1, 2, 4, 8; 16 for long double */
    char conversion;
    int width;
    int precision;       /* -1 if none */
};

/* Formats a number as e, f, g or a would. */
void ics_format_double(struct ics_sink *sink, const struct ics_spec *spec, double value);
void ics_format_long_double(struct ics_sink *sink, const struct ics_spec *spec, long double value);
/* Writes sign or prefix, zeros and digits within the field. */
void ics_put_number(struct ics_sink *sink, const struct ics_spec *spec, const char *prefix, int zeros,
                    const char *digits, int n);

/* printf and snprintf in the symbolic domain (format_symbolic.c). */
int ics_format_sink(const char *format, va_list ap);
int ics_format_symbolic(char *to, size_t capacity, const char *format, va_list ap);
/* Reads one conversion specification behind its '%', fetching '*' arguments; returns what follows it. */
const char *ics_parse_spec(struct ics_spec *spec, const char *format, va_list *ap);
/* %n: stores the count in an object of the size that the specification says. */
void ics_store_count(const struct ics_spec *spec, size_t count, void *to);

/* vasprintf into memory that only models see. */
int ics_vasprintf(char **to, const char *format, va_list ap);

#endif
