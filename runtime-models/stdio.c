/* Streams over descriptors: buffering, opening and closing.
 *
 * Concrete domain: the buffering of glibc when standard output is not a terminal (full, in blocks), so that what is
 * lost on abort and how output mixes with write(2) is as in a native run. Symbolic domain: output goes nowhere and
 * touches no state, and input streams (stdio_symbolic.c) are unbuffered. */
#include "ics.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ics_files.h"
#include "ics_stdio.h"

#define BLOCK 4096

static char stdin_buffer[BLOCK], stdout_buffer[BLOCK];

#define STANDARD(number, flags, buffer, size)                                                                       \
    {                                                                                                               \
        ._flags2 = (flags) | ICS_STATIC, ._fileno = (number), ._IO_read_ptr = (buffer), ._IO_read_end = (buffer),    \
        ._IO_read_base = (buffer), ._IO_write_base = (buffer), ._IO_write_ptr = (buffer), ._IO_write_end = (buffer),\
        ._IO_buf_base = (buffer), ._IO_buf_end = (buffer) + (size)                                                  \
    }

static FILE standard_input = STANDARD(0, ICS_NO_WRITE, stdin_buffer, BLOCK);
static FILE standard_output = STANDARD(1, ICS_NO_READ, stdout_buffer, BLOCK);
static FILE standard_error = {._flags2 = ICS_NO_READ | ICS_UNBUFFERED | ICS_STATIC, ._fileno = 2};

#undef stdin
#undef stdout
#undef stderr
FILE *stdin = &standard_input;
FILE *stdout = &standard_output;
FILE *stderr = &standard_error;

/* The streams that exit() flushes, besides the standard ones. */
static FILE *open_streams;

static long seek(FILE *f, long offset, int whence) {
    return f->_flags2 & ICS_MEMORY ? ics_memory_seek(f, offset, whence) : lseek(f->_fileno, offset, whence);
}

static int write_out(FILE *f, const char *p, size_t n) {
    while (n > 0) {
        ssize_t done = f->_flags2 & ICS_MEMORY ? ics_memory_write(f, p, n) : write(f->_fileno, p, n);
        if (done <= 0) {
            f->_flags |= ICS_ERROR;
            return EOF;
        }
        p += done;
        n -= (size_t)done;
    }
    return 0;
}

int ics_flush(FILE *f) {
    size_t pending = (size_t)(f->_IO_write_ptr - f->_IO_write_base);
    f->_IO_write_ptr = f->_IO_write_base = f->_IO_buf_base;
    f->_IO_write_end = f->_IO_buf_base;
    return pending ? write_out(f, f->_IO_buf_base, pending) : 0;
}

/* Prepares for writing: drops what was read ahead. */
static int start_writing(FILE *f) {
    if (f->_flags2 & ICS_NO_WRITE) {
        f->_flags |= ICS_ERROR;
        errno = EBADF;
        return EOF;
    }
    if (f->_IO_read_end > f->_IO_read_ptr) seek(f, f->_IO_read_ptr - f->_IO_read_end, SEEK_CUR);
    f->_IO_read_ptr = f->_IO_read_end = f->_IO_read_base = f->_IO_buf_base;
    f->_IO_write_base = f->_IO_write_ptr = f->_IO_buf_base;
    f->_IO_write_end = f->_IO_buf_end;
    return 0;
}

size_t ics_write(FILE *f, const char *p, size_t n) {
    if (__ics_is_symbolic_domain()) return ics_symbolic_write(f, p, n);
    if (n == 0) return 0;
    if (f->_flags2 & (ICS_UNBUFFERED | ICS_NO_WRITE)) {
        if (start_writing(f)) return 0;
        return write_out(f, p, n) ? 0 : n;
    }
    if (f->_IO_write_ptr == f->_IO_write_base && start_writing(f)) return 0;
    size_t room = (size_t)(f->_IO_buf_end - f->_IO_write_ptr);
    size_t kept = ICS_MIN(n, room);
    __ics_memcpy(f->_IO_write_ptr, p, kept);
    f->_IO_write_ptr += kept;
    if (kept < n) {
        size_t rest = n - kept;
        if (ics_flush(f)) return kept;
        /* whole blocks go out directly */
        size_t whole = rest - rest % (size_t)(f->_IO_buf_end - f->_IO_buf_base);
        if (whole && write_out(f, p + kept, whole)) return kept;
        start_writing(f);
        __ics_memcpy(f->_IO_write_ptr, p + kept + whole, rest - whole);
        f->_IO_write_ptr += rest - whole;
    }
    if (f->_flags2 & ICS_LINE && memrchr(p, '\n', n)) ics_flush(f);
    return n;
}

/* Fills an empty read buffer; the number of bytes, 0 at the end or on error. */
static size_t fill(FILE *f) {
    if (f->_flags2 & ICS_NO_READ) {
        f->_flags |= ICS_ERROR;
        errno = EBADF;
        return 0;
    }
    if (f->_flags & ICS_EOF) return 0;
    if (f->_IO_write_ptr > f->_IO_write_base) ics_flush(f);
    if (f->_IO_save_base) { /* the bytes behind a pushed-back one */
        f->_IO_read_ptr = f->_IO_save_base;
        f->_IO_read_end = f->_IO_save_end;
        f->_IO_save_base = f->_IO_save_end = 0;
        if (f->_IO_read_ptr < f->_IO_read_end) return (size_t)(f->_IO_read_end - f->_IO_read_ptr);
    }
    if (f->_fileno == 0 && stdout->_flags2 & ICS_LINE) ics_flush(stdout);
    if (!f->_IO_buf_base) {
        f->_IO_buf_base = f->_shortbuf;
        f->_IO_buf_end = f->_shortbuf + 1;
    }
    size_t room = (size_t)(f->_IO_buf_end - f->_IO_buf_base);
    ssize_t n = f->_flags2 & ICS_MEMORY ? ics_memory_read(f, f->_IO_buf_base, room)
                                       : read(f->_fileno, f->_IO_buf_base, room);
    if (n <= 0) {
        f->_flags |= n == 0 ? ICS_EOF : ICS_ERROR;
        n = 0;
    }
    f->_IO_read_base = f->_IO_read_ptr = f->_IO_buf_base;
    f->_IO_read_end = f->_IO_buf_base + n;
    return (size_t)n;
}

int ics_getc(FILE *f) {
    if (__ics_is_symbolic_domain()) return ics_symbolic_getc(f);
    if (f->_IO_read_ptr >= f->_IO_read_end && fill(f) == 0) return EOF;
    return (unsigned char)*f->_IO_read_ptr++;
}

void ics_ungetc(FILE *f, int c) {
    f->_flags &= ~ICS_EOF;
    if (__ics_is_symbolic_domain()) {
        ics_symbolic_ungetc(f, c);
    } else if (f->_IO_read_ptr > f->_IO_read_base && f->_IO_read_ptr[-1] == (char)c) {
        f->_IO_read_ptr--;
    } else {
        if (!f->_IO_save_base) {
            f->_IO_save_base = f->_IO_read_ptr;
            f->_IO_save_end = f->_IO_read_end;
        }
        f->_shortbuf[0] = (char)c;
        f->_IO_read_base = f->_IO_read_ptr = f->_shortbuf;
        f->_IO_read_end = f->_shortbuf + 1;
    }
}

/* --- opening and closing --- */

int ics_mode_flags(const char *mode, int *open_flags) {
    int update = strchr(mode, '+') != 0;
    int extra = (strchr(mode, 'x') ? O_EXCL : 0) | (strchr(mode, 'e') ? O_CLOEXEC : 0);
    switch (*mode) {
    case 'r': *open_flags = extra | (update ? O_RDWR : O_RDONLY); return update ? 0 : ICS_NO_WRITE;
    case 'w': *open_flags = extra | O_CREAT | O_TRUNC | (update ? O_RDWR : O_WRONLY); return update ? 0 : ICS_NO_READ;
    case 'a':
        *open_flags = extra | O_CREAT | O_APPEND | (update ? O_RDWR : O_WRONLY);
        return ICS_APPEND | (update ? 0 : ICS_NO_READ);
    default: errno = EINVAL; return -1;
    }
}

/* A stream that only appends begins at the end of its file; one that also reads begins at the start. */
static void go_to_end(int fd, int flags) {
    if ((flags & ICS_APPEND) && (flags & ICS_NO_READ) && !__ics_is_symbolic_domain()) lseek(fd, 0, SEEK_END);
}

static FILE *set_up(FILE *f, int fd, int flags) {
    char *buffer = malloc(BLOCK);
    __ics_memset(f, 0, sizeof *f);
    f->_flags2 = flags | ICS_OWN_BUFFER;
    f->_fileno = fd;
    f->_IO_buf_base = f->_IO_read_base = f->_IO_read_ptr = f->_IO_read_end = buffer;
    f->_IO_write_base = f->_IO_write_ptr = f->_IO_write_end = buffer;
    f->_IO_buf_end = buffer + BLOCK;
    return f;
}

FILE *ics_new_stream(int fd, int flags) {
    FILE *f = set_up(malloc(sizeof *f), fd, flags);
    f->_chain = open_streams;
    open_streams = f;
    return f;
}

FILE *fopen(const char *path, const char *mode) {
    int open_flags, flags = ics_mode_flags(mode, &open_flags);
    if (flags < 0) return 0;
    int fd = open(path, open_flags, 0666);
    if (fd < 0) return 0;
    go_to_end(fd, flags);
    return ics_new_stream(fd, flags);
}

FILE *fopen64(const char *path, const char *mode) {
    return fopen(path, mode);
}

FILE *fdopen(int fd, const char *mode) {
    int open_flags, flags = ics_mode_flags(mode, &open_flags);
    if (flags < 0) return 0;
    int have = fcntl(fd, F_GETFL);
    if (have < 0) return 0;
    int access = have & O_ACCMODE;
    if (access != O_RDWR && access != (open_flags & O_ACCMODE)) {
        errno = EINVAL;
        return 0;
    }
    if (open_flags & O_APPEND && !(have & O_APPEND)) fcntl(fd, F_SETFL, have | O_APPEND);
    go_to_end(fd, flags);
    return ics_new_stream(fd, flags);
}

static int release(FILE *f) {
    int result = fflush(f);
    if (f->_flags2 & ICS_MEMORY) {
        if (ics_memory_close(f)) result = EOF;
    } else if (close(f->_fileno)) {
        result = EOF;
    }
    if (f->_flags2 & ICS_OWN_BUFFER) free(f->_IO_buf_base);
    return result;
}

/* Nothing can be read or written any more. */
static void set_closed(FILE *f) {
    f->_flags = 0;
    f->_flags2 = (f->_flags2 & ICS_STATIC) | ICS_NO_READ | ICS_NO_WRITE;
    f->_IO_buf_base = f->_IO_buf_end = f->_IO_read_ptr = f->_IO_read_end = 0;
    f->_IO_write_base = f->_IO_write_ptr = 0;
}

/* Another mode for the same file, from its start. */
static FILE *reopen_same(FILE *f, int flags, int open_flags) {
    int have = fcntl(f->_fileno, F_GETFL);
    if (have < 0 || ((have & O_ACCMODE) != O_RDWR && (have & O_ACCMODE) != (open_flags & O_ACCMODE))) {
        errno = have < 0 ? errno : EACCES;
        return 0;
    }
    fflush(f);
    seek(f, 0, SEEK_SET);
    if (open_flags & O_TRUNC) (void)!ftruncate(f->_fileno, 0);
    if (open_flags & O_APPEND) fcntl(f->_fileno, F_SETFL, have | O_APPEND);
    go_to_end(f->_fileno, flags);
    f->_flags = 0;
    f->_flags2 = flags | (f->_flags2 & (ICS_STATIC | ICS_OWN_BUFFER));
    f->_IO_read_ptr = f->_IO_read_end = f->_IO_read_base = f->_IO_buf_base;
    return f;
}

FILE *freopen(const char *path, const char *mode, FILE *f) {
    int open_flags, flags = ics_mode_flags(mode, &open_flags);
    if (flags < 0) return 0;
    if (!path) return reopen_same(f, flags, open_flags);
    FILE *next = f->_chain;
    int number = f->_fileno, standing = f->_flags2 & ICS_STATIC;
    release(f);
    int fd = open(path, open_flags, 0666);
    if (fd < 0) {
        set_closed(f);
        return 0;
    }
    if (number >= 0 && fd != number && dup2(fd, number) == number) {
        close(fd);
        fd = number;
    }
    go_to_end(fd, flags);
    set_up(f, fd, flags | standing);
    f->_chain = next;
    return f;
}

FILE *freopen64(const char *path, const char *mode, FILE *f) {
    return freopen(path, mode, f);
}

int fclose(FILE *f) {
    int result = release(f);
    for (FILE **p = &open_streams; *p; p = &(*p)->_chain) {
        if (*p != f) continue;
        *p = f->_chain;
        break;
    }
    if (f->_flags2 & ICS_STATIC) set_closed(f);
    else free(f);
    return result;
}

int fcloseall(void) {
    while (open_streams) fclose(open_streams);
    return fflush(0);
}

/* Puts the file's position where the reader is. */
static void give_back(FILE *f) {
    seek(f, f->_IO_read_ptr - f->_IO_read_end, SEEK_CUR);
    f->_IO_read_ptr = f->_IO_read_end = f->_IO_read_base = f->_IO_buf_base;
}

static int flush_one(FILE *f) {
    int result = ics_flush(f);
    if (f->_flags2 & ICS_MEMORY) ics_memory_flushed(f);
    return result;
}

int fflush(FILE *f) {
    if (__ics_is_symbolic_domain()) return 0;
    if (f) {
        if (f->_IO_read_end > f->_IO_read_ptr) give_back(f);
        return flush_one(f);
    }
    int result = ics_flush(stdout);
    for (f = open_streams; f; f = f->_chain) result |= flush_one(f);
    return result;
}

int setvbuf(FILE *f, char *buffer, int mode, size_t size) {
    if (mode != _IOFBF && mode != _IOLBF && mode != _IONBF) return EOF;
    ics_flush(f);
    f->_flags2 &= ~(ICS_UNBUFFERED | ICS_LINE);
    if (mode == _IOLBF) f->_flags2 |= ICS_LINE;
    if (mode == _IONBF) f->_flags2 |= ICS_UNBUFFERED;
    if (mode != _IONBF && !f->_IO_buf_base && (!buffer || !size)) {
        size = BLOCK;
        buffer = malloc(size);
        f->_flags2 |= ICS_OWN_BUFFER;
    } else if (mode == _IONBF || !buffer || !size) {
        return 0;
    } else if (f->_flags2 & ICS_OWN_BUFFER) {
        free(f->_IO_buf_base);
        f->_flags2 &= ~ICS_OWN_BUFFER;
    }
    f->_IO_buf_base = f->_IO_read_base = f->_IO_read_ptr = f->_IO_read_end = buffer;
    f->_IO_write_base = f->_IO_write_ptr = f->_IO_write_end = buffer;
    f->_IO_buf_end = buffer + size;
    return 0;
}

void setbuf(FILE *f, char *buffer) {
    setvbuf(f, buffer, buffer ? _IOFBF : _IONBF, BUFSIZ);
}

void setbuffer(FILE *f, char *buffer, size_t size) {
    setvbuf(f, buffer, buffer ? _IOFBF : _IONBF, size);
}

void setlinebuf(FILE *f) {
    setvbuf(f, 0, _IOLBF, 0);
}

int fseeko(FILE *f, off_t offset, int whence) {
    if (!__ics_is_symbolic_domain()) {
        if (ics_flush(f)) return -1;
        if (whence == SEEK_CUR) offset -= f->_IO_read_end - f->_IO_read_ptr;
        f->_IO_read_ptr = f->_IO_read_end = f->_IO_read_base = f->_IO_buf_base;
        f->_IO_save_base = f->_IO_save_end = 0;
    }
    f->_flags &= ~ICS_EOF;
    return seek(f, offset, whence) < 0 ? -1 : 0;
}

off_t ftello(FILE *f) {
    int appends = f->_flags2 & ICS_APPEND;
    if (appends && __ics_is_symbolic_domain()) {
        unsigned long at = __ics_input("ftell", 63);
        __ics_assume((long)at >= 0);
        return (off_t)at;
    }
    /* What waits to be written goes to the end, wherever the file is. */
    long at = seek(f, 0, appends && f->_IO_write_ptr > f->_IO_write_base ? SEEK_END : SEEK_CUR);
    if (at < 0 || __ics_is_symbolic_domain()) return at;
    if (f->_IO_write_ptr > f->_IO_write_base) return at + (f->_IO_write_ptr - f->_IO_write_base);
    return at - (f->_IO_read_end - f->_IO_read_ptr) - (f->_IO_save_base ? f->_IO_save_end - f->_IO_save_base : 0);
}
