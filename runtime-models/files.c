/* Descriptors. The concrete domain hands everything to the host. In the symbolic domain there is a table: a file named
 * by --sym-file, or standard input with --sym-stdin, has known symbolic bytes; whatever else is opened may fail to
 * open and gives new inputs on every read. */
#include "ics.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ics_files.h"
#include "ics_string.h"
#include "ics_thread.h"

static struct ics_file files[ICS_MAX_FILES];
static int started;

static void attach(struct ics_file *f, int index) {
    f->kind = ICS_SYMBOLIC_FILE;
    f->size = __ics_symbolic_file_size(index);
    char *content = __ics_malloc((size_t)f->size + 1, 1);
    __ics_symbolic_file_read(index, 0, content, (size_t)f->size);
    f->content = content;
}

static void start(void) {
    started = 1;
    files[0].kind = files[1].kind = files[2].kind = ICS_INPUT_FILE;
    if (__ics_symbolic_file_size(-1) >= 0) attach(&files[0], -1);
}

struct ics_file *ics_file(int fd) {
    if (!started) start();
    if (fd >= 0 && fd < ICS_MAX_FILES && files[fd].kind != ICS_CLOSED) return &files[fd];
    errno = EBADF;
    return 0;
}

static int fail(int error) {
    errno = error;
    return -1;
}

static long host(long result) {
    return result < 0 ? fail((int)-result) : result;
}

/* "open(PATH)" if the path is short and constant, so that the constraint says which file. */
static const char *open_name(const char *path, char *buffer, size_t size) {
    if (__ics_string_symbolic(path)) return "open";
    size_t n = strlen(path);
    if (n + 7 > size) return "open";
    __ics_memcpy(buffer, "open(", 5);
    __ics_memcpy(buffer + 5, path, n);
    __ics_memcpy(buffer + 5 + n, ")", 2);
    return buffer;
}

static int symbolic_open(const char *path) {
    char name[128];
    if (!started) start();
    int fd = 0;
    while (fd < ICS_MAX_FILES && files[fd].kind != ICS_CLOSED) fd++;
    if (fd == ICS_MAX_FILES) return fail(EMFILE);
    struct ics_file *f = &files[fd];
    __ics_memset(f, 0, sizeof *f);
    int index = __ics_string_symbolic(path) ? -1 : __ics_symbolic_file(path);
    if (index >= 0) {
        attach(f, index);
        return fd;
    }
    if ((__ics_input(open_name(path, name, sizeof name), 1) & 1) == 0) return fail(ENOENT);
    f->kind = ICS_INPUT_FILE;
    return fd;
}

int open(const char *path, int flags, ...) {
    va_list ap;
    va_start(ap, flags);
    int mode = flags & O_CREAT ? va_arg(ap, int) : 0;
    va_end(ap);
    ics_cancellation_point();
    if (__ics_is_symbolic_domain()) return symbolic_open(path);
    return (int)host(__ics_host_open(path, flags, mode));
}

int open64(const char *path, int flags, ...) {
    va_list ap;
    va_start(ap, flags);
    int mode = flags & O_CREAT ? va_arg(ap, int) : 0;
    va_end(ap);
    return open(path, flags, mode);
}

int creat(const char *path, mode_t mode) {
    return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int close(int fd) {
    if (!__ics_is_symbolic_domain()) return (int)host(__ics_host_close(fd));
    struct ics_file *f = ics_file(fd);
    if (!f) return -1;
    __ics_free((void *)f->content);
    f->content = 0;
    f->kind = ICS_CLOSED;
    return 0;
}

/* The byte at an offset that may be symbolic and outside. */
static unsigned long byte_at(const struct ics_file *f, long offset, unsigned long inside) {
    return (unsigned char)f->content[__ics_select(inside, (unsigned long)offset, 0)];
}

size_t ics_file_read(struct ics_file *f, void *to, size_t n) {
    char *p = to;
    if (f->kind == ICS_INPUT_FILE) {
        unsigned long count = __ics_input("read", 64);
        __ics_assume(((long)count >= -1) & ((long)count <= (long)n));
        __ics_input_bytes(to, n, "read.data");
        return count;
    }
    if ((long)n > f->size) n = (size_t)f->size;
    if (!__ics_is_symbolic((unsigned long)f->offset)) {
        n = ICS_MIN(n, (size_t)(f->size - f->offset));
        __ics_memcpy(to, f->content + f->offset, n);
        f->offset += (long)n;
        return n;
    }
    unsigned long left = (unsigned long)(f->size - f->offset);
    for (size_t i = 0; i < n; i++)
        p[i] = (char)__ics_select(i < left, byte_at(f, f->offset + (long)i, i < left), (unsigned char)p[i]);
    size_t count = __ics_select(n < left, n, left);
    f->offset += (long)count;
    return count;
}

ssize_t read(int fd, void *to, size_t n) {
    ics_cancellation_point();
    if (!__ics_is_symbolic_domain()) return host(__ics_host_read(fd, to, n));
    struct ics_file *f = ics_file(fd);
    if (!f) return -1;
    size_t count = ics_file_read(f, to, n);
    errno = (int)__ics_select((long)count < 0, EIO, errno);
    return (ssize_t)count;
}

ssize_t write(int fd, const void *p, size_t n) {
    ics_cancellation_point();
    if (!__ics_is_symbolic_domain()) return host(__ics_host_write(fd, p, n));
    return ics_file(fd) ? (ssize_t)n : -1;
}

off_t lseek(int fd, off_t offset, int whence) {
    if (!__ics_is_symbolic_domain()) return host(__ics_host_seek(fd, offset, whence));
    struct ics_file *f = ics_file(fd);
    if (!f) return -1;
    if (f->kind == ICS_INPUT_FILE) {
        if (whence == SEEK_SET) return offset;
        unsigned long at = __ics_input("lseek", 63);
        __ics_assume((long)at >= 0);
        return (off_t)at;
    }
    long base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? f->offset : f->size;
    if (base + offset < 0) return fail(EINVAL);
    /* Nothing can be read behind the end, wherever there. */
    f->offset = (long)__ics_select(base + offset < f->size, (unsigned long)(base + offset), (unsigned long)f->size);
    return base + offset;
}

off_t lseek64(int fd, off_t offset, int whence) {
    return lseek(fd, offset, whence);
}

/* Reading at a place, keeping the offset. */
ssize_t pread(int fd, void *to, size_t n, off_t offset) {
    off_t before = lseek(fd, 0, SEEK_CUR);
    if (before < 0 || lseek(fd, offset, SEEK_SET) < 0) return -1;
    ssize_t count = read(fd, to, n);
    lseek(fd, before, SEEK_SET);
    return count;
}

ssize_t pwrite(int fd, const void *p, size_t n, off_t offset) {
    off_t before = lseek(fd, 0, SEEK_CUR);
    if (before < 0 || lseek(fd, offset, SEEK_SET) < 0) return -1;
    ssize_t count = write(fd, p, n);
    lseek(fd, before, SEEK_SET);
    return count;
}
