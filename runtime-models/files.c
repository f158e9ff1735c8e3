/* Descriptors: a table of what each one is. In the concrete domain files are the host's. In the symbolic domain a file
 * named by --sym-file, or standard input with --sym-stdin, has known symbolic bytes; whatever else is opened may fail
 * to open and gives new inputs on every read. */
#include "ics.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ics_files.h"
#include "ics_socket.h"
#include "ics_string.h"
#include "ics_thread.h"

#define STANDARD(number) {.kind = ICS_STANDARD, .descriptors = 1, .flags = -1, .host = (number)}

_Static_assert(ICS_MAX_FILES == 1 << 10, "some_descriptor");

static struct ics_file standard[3] = {STANDARD(0), STANDARD(1), STANDARD(2)};
/* By descriptor; null if closed. */
static struct ics_file *descriptors[ICS_MAX_FILES] = {&standard[0], &standard[1], &standard[2]};
static unsigned char descriptor_flags[ICS_MAX_FILES];
/* Files that are closed, to be used again. */
static struct ics_file *unused;

/* What there is of a file that is known by name. */
struct content {
    const char *bytes;
    long size;
};

static struct content content_of(int index) {
    struct content c = {.size = __ics_symbolic_file_size(index)};
    char *bytes = __ics_malloc((size_t)c.size + 1, 1);
    __ics_symbolic_file_read(index, 0, bytes, (size_t)c.size);
    c.bytes = bytes;
    return c;
}

/* No function, so that looking at a standard file changes no other one. */
#define ATTACH(f, index)                         \
    do {                                         \
        struct content known = content_of(index); \
        (f)->kind = ICS_SYMBOLIC_FILE;           \
        (f)->content = known.bytes;              \
        (f)->size = known.size;                  \
    } while (0)

/* A standard one is looked at first. */
static void start(struct ics_file *f) {
    f->kind = __ics_is_symbolic_domain() ? ICS_INPUT_FILE : ICS_HOST_FILE;
    if (f->kind == ICS_INPUT_FILE && f->host == 0 && __ics_symbolic_file_size(-1) >= 0) ATTACH(f, -1);
}

struct ics_file *ics_file(int fd) {
    if ((unsigned)fd < ICS_MAX_FILES && descriptors[fd]) {
        struct ics_file *f = descriptors[fd];
        /* By its own name, so that looking at a file changes no other one. */
        if (f->kind == ICS_STANDARD) start(&standard[f->host]);
        return f;
    }
    errno = EBADF;
    return 0;
}

unsigned char *ics_descriptor_flags(int fd) {
    return &descriptor_flags[fd];
}

static int fail(int error) {
    errno = error;
    return -1;
}

/* Where nobody knows which descriptors are closed, one of them is an input; it is taken for granted that there is
   one. */
static int some_descriptor(int from) {
    unsigned fd = (unsigned)__ics_input("descriptor", 10); /* so many are there: it needs no test to see that it is one */
    if (from) __ics_assume(fd >= (unsigned)from);
    __ics_assume(descriptors[fd] == 0);
    return (int)fd;
}

/* The lowest closed descriptor from `from`. */
static int free_descriptor(int from) {
    int fd = from;
    for (; fd < ICS_MAX_FILES; fd++) {
        if (__ics_is_unknown((unsigned long)descriptors[fd])) return some_descriptor(from);
        if (!descriptors[fd]) return fd;
    }
    return fail(EMFILE);
}

static struct ics_file *unused_file(void) {
    if (__ics_is_unknown((unsigned long)unused) || !unused) return __ics_malloc(sizeof *unused, 1);
    struct ics_file *f = unused;
    unused = f->next;
    __ics_memset(f, 0, sizeof *f);
    return f;
}

int ics_new_file(enum ics_file_kind kind, int flags, int host) {
    int fd = free_descriptor(0);
    if (fd < 0) return -1;
    struct ics_file *f = unused_file();
    f->kind = kind;
    f->descriptors = 1;
    f->flags = flags & ~(O_CREAT | O_EXCL | O_TRUNC | O_CLOEXEC | O_NOCTTY);
    f->host = host;
    descriptors[fd] = f;
    descriptor_flags[fd] = flags & O_CLOEXEC ? FD_CLOEXEC : 0;
    return fd;
}

int ics_duplicate(int fd, int from, int exactly) {
    struct ics_file *f = ics_file(fd);
    if (!f) return -1;
    if (from < 0 || from >= ICS_MAX_FILES) return fail(exactly ? EBADF : EINVAL);
    if (exactly && from == fd) return fd;
    int to = exactly ? from : free_descriptor(from);
    if (to < 0) return -1;
    if (descriptors[to]) close(to);
    f->descriptors++;
    descriptors[to] = descriptors[fd];
    descriptor_flags[to] = 0;
    return to;
}

int ics_host_descriptor(int fd) {
    if (fd == AT_FDCWD) return fd;
    struct ics_file *f = ics_file(fd);
    if (!f) return -1;
    return f->kind == ICS_HOST_FILE ? f->host : fail(EINVAL);
}

long ics_host_result(long result) {
    return result < 0 ? fail((int)-result) : result;
}

const char *ics_input_name(char *to, size_t size, const char *call, const char *path) {
    if (__ics_is_unknown((unsigned long)path) || !path || __ics_string_symbolic(path)) return call;
    size_t n = strlen(call), m = strlen(path);
    if (n + m + 3 > size) return call;
    __ics_memcpy(to, call, n);
    to[n] = '(';
    __ics_memcpy(to + n + 1, path, m);
    __ics_memcpy(to + n + 1 + m, ")", 2);
    return to;
}

int ics_outcome(const char *call, const char *path, int error) {
    char name[128];
    unsigned long done = __ics_input(ics_input_name(name, sizeof name, call, path), 1) & 1;
    errno = (int)__ics_select(done, (unsigned long)errno, (unsigned long)error);
    return (int)__ics_select(done, 0, (unsigned long)-1);
}

static int symbolic_open(const char *path, int flags) {
    char name[128];
    int index = __ics_string_symbolic(path) ? -1 : __ics_symbolic_file(path);
    if (index >= 0 && __ics_symbolic_file_size(index) < 0) return fail(ENOENT);
    if (index >= 0) {
        int fd = ics_new_file(ICS_SYMBOLIC_FILE, flags, -1);
        struct ics_file *f = ics_file(fd);
        ATTACH(f, index);
        size_t n = strlen(path) + 1;
        char *name = __ics_malloc(n, 0);
        __ics_memcpy(name, path, n);
        f->name = name;
        return fd;
    }
    if ((__ics_input(ics_input_name(name, sizeof name, "open", path), 1) & 1) == 0) return fail(ENOENT);
    return ics_new_file(ICS_INPUT_FILE, flags, -1);
}

static int open_at(int directory, const char *path, int flags, int mode) {
    ics_cancellation_point();
    if (__ics_is_symbolic_domain()) return symbolic_open(path, flags);
    if (directory != AT_FDCWD && (directory = ics_host_descriptor(directory)) == -1) return -1;
    int host = (int)ics_host_result(__ics_host_file(ICS_OPEN, directory, path, "", flags, mode));
    if (host < 0) return -1;
    int fd = ics_new_file(ICS_HOST_FILE, flags, host);
    if (fd < 0) __ics_host_close(host);
    return fd;
}

#define WITH_MODE(last)                                                                                             \
    va_list ap;                                                                                                     \
    va_start(ap, last);                                                                                             \
    int mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(ap, int) : 0;                         \
    va_end(ap)

int open(const char *path, int flags, ...) {
    WITH_MODE(flags);
    return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    WITH_MODE(flags);
    return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...) {
    WITH_MODE(flags);
    return open_at(directory, path, flags, mode);
}

int openat64(int directory, const char *path, int flags, ...) {
    WITH_MODE(flags);
    return open_at(directory, path, flags, mode);
}

/* _FORTIFY_SOURCE, when there is no mode */
int __open_2(const char *path, int flags) {
    return open_at(AT_FDCWD, path, flags, 0);
}

int __open64_2(const char *path, int flags) {
    return open_at(AT_FDCWD, path, flags, 0);
}

int creat(const char *path, mode_t mode) {
    return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, (int)mode);
}

int creat64(const char *path, mode_t mode) {
    return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, (int)mode);
}

static int concrete_close(struct ics_file *f, enum ics_file_kind kind) {
    switch (kind) {
    case ICS_HOST_FILE: return (int)ics_host_result(__ics_host_close(f->host));
    case ICS_PIPE: ics_pipe_close(f); break;
    case ICS_SOCKET: ics_socket_close(f); break;
    case ICS_EVENT:
    case ICS_TIMER: ics_event_close(f); break;
    case ICS_EPOLL: ics_epoll_close(f); break;
    case ICS_SYMBOLIC_FILE:
    case ICS_INPUT_FILE:
    case ICS_STANDARD:
    case ICS_CLOSED: break;
    }
    return 0;
}

int close(int fd) {
    struct ics_file *f = ics_file(fd);
    if (!f) return -1;
    descriptors[fd] = 0;
    if (--f->descriptors) return 0;
    enum ics_file_kind kind = f->kind;
    ics_epoll_forget(f);
    f->kind = ICS_CLOSED;
    f->next = unused;
    unused = f;
    if (!__ics_is_symbolic_domain()) return concrete_close(f, kind);
    if (kind == ICS_EPOLL) ics_epoll_close(f);
    __ics_free((void *)f->content);
    if (f->name) __ics_free((void *)f->name);
    f->content = f->name = 0;
    f->lines = 0;
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
    ics_forget_lines(f);
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

/* A host file that can be read or written, or null with EBADF. */
static struct ics_file *with_access(int fd, int refused) {
    struct ics_file *f = ics_file(fd);
    if (!f || f->flags == -1 || (f->flags & O_ACCMODE) != refused) return f;
    errno = EBADF;
    return 0;
}

static long concrete_read(struct ics_file *f, void *to, size_t n) {
    int truncated;
    switch (f->kind) {
    case ICS_HOST_FILE: return ics_host_result(__ics_host_read(f->host, to, n));
    case ICS_PIPE: return ics_pipe_read(f, to, n);
    case ICS_SOCKET: return ics_socket_receive(f, to, n, 0, 0, 0, &truncated);
    case ICS_EVENT:
    case ICS_TIMER: return ics_event_read(f, to, n);
    case ICS_EPOLL:
    case ICS_SYMBOLIC_FILE:
    case ICS_INPUT_FILE:
    case ICS_STANDARD:
    case ICS_CLOSED: break;
    }
    return fail(EINVAL);
}

/* Nobody reads what was written: the program gets a signal, which ends it unless it says something else. */
static ssize_t written(long result) {
    if (result == -EPIPE) raise(SIGPIPE);
    return ics_host_result(result);
}

static long concrete_write(struct ics_file *f, const void *p, size_t n) {
    switch (f->kind) {
    case ICS_HOST_FILE: return written(__ics_host_write(f->host, p, n));
    case ICS_PIPE: return ics_pipe_write(f, p, n);
    case ICS_SOCKET: return ics_socket_send(f, p, n, 0, 0, 0);
    case ICS_EVENT:
    case ICS_TIMER: return ics_event_write(f, p, n);
    case ICS_EPOLL:
    case ICS_SYMBOLIC_FILE:
    case ICS_INPUT_FILE:
    case ICS_STANDARD:
    case ICS_CLOSED: break;
    }
    return fail(EINVAL);
}

ssize_t read(int fd, void *to, size_t n) {
    ics_cancellation_point();
    struct ics_file *f = with_access(fd, O_WRONLY);
    if (!f) return -1;
    if (!__ics_is_symbolic_domain()) return concrete_read(f, to, n);
    if (f->kind == ICS_EPOLL) return fail(EINVAL);
    size_t count = ics_file_read(f, to, n);
    errno = (int)__ics_select((long)count < 0, EIO, (unsigned long)errno);
    return (ssize_t)count;
}

ssize_t write(int fd, const void *p, size_t n) {
    ics_cancellation_point();
    struct ics_file *f = with_access(fd, O_RDONLY);
    if (!f) return -1;
    if (!__ics_is_symbolic_domain()) return concrete_write(f, p, n);
    return f->domain ? ics_input_sent(f, "write", n, 0) : (ssize_t)n;
}

/* _FORTIFY_SOURCE: what is too small is found by the memory checks. */
ssize_t __read_chk(int fd, void *to, size_t n, size_t room) {
    return read(fd, to, n);
}

off_t lseek(int fd, off_t offset, int whence) {
    struct ics_file *f = ics_file(fd);
    if (!f) return -1;
    if (!__ics_is_symbolic_domain())
        return f->kind == ICS_HOST_FILE ? ics_host_result(__ics_host_seek(f->host, offset, whence)) : fail(ESPIPE);
    if (f->domain || f->kind == ICS_EPOLL) return fail(ESPIPE);
    if (f->kind == ICS_INPUT_FILE) {
        if (whence == SEEK_SET) return offset;
        unsigned long at = __ics_input("lseek", 63);
        __ics_assume((long)at >= 0);
        return (off_t)at;
    }
    if (whence == SEEK_SET) f->lines = 0;
    else ics_forget_lines(f);
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
    struct ics_file *f = ics_file(fd);
    if (f && f->kind == ICS_INPUT_FILE) return read(fd, to, n);
    off_t before = lseek(fd, 0, SEEK_CUR);
    if (before < 0 || lseek(fd, offset, SEEK_SET) < 0) return -1;
    ssize_t count = read(fd, to, n);
    lseek(fd, before, SEEK_SET);
    return count;
}

ssize_t pread64(int fd, void *to, size_t n, off_t offset) {
    return pread(fd, to, n, offset);
}

ssize_t __pread_chk(int fd, void *to, size_t n, off_t offset, size_t room) {
    return pread(fd, to, n, offset);
}

ssize_t pwrite(int fd, const void *p, size_t n, off_t offset) {
    struct ics_file *f = ics_file(fd);
    if (f && f->kind == ICS_INPUT_FILE) return write(fd, p, n);
    off_t before = lseek(fd, 0, SEEK_CUR);
    if (before < 0 || lseek(fd, offset, SEEK_SET) < 0) return -1;
    ssize_t count = write(fd, p, n);
    lseek(fd, before, SEEK_SET);
    return count;
}

ssize_t pwrite64(int fd, const void *p, size_t n, off_t offset) {
    return pwrite(fd, p, n, offset);
}
