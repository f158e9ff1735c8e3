/* Duplicating descriptors, fcntl, ioctl, vectors of buffers. */
#include "ics.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "ics_files.h"
#include "ics_socket.h"

static int fail(int error) {
    errno = error;
    return -1;
}

int dup(int fd) {
    return ics_duplicate(fd, 0, 0);
}

int dup2(int fd, int to) {
    return ics_duplicate(fd, to, 1);
}

int dup3(int fd, int to, int flags) {
    if (fd == to || flags & ~O_CLOEXEC) return fail(EINVAL);
    int done = ics_duplicate(fd, to, 1);
    if (done >= 0) *ics_descriptor_flags(done) = flags & O_CLOEXEC ? FD_CLOEXEC : 0;
    return done;
}

/* Locks are advice between processes, and this one never competes with itself. */
static int lock(int command, struct flock *lock) {
    if (lock->l_type != F_RDLCK && lock->l_type != F_WRLCK && lock->l_type != F_UNLCK) return fail(EINVAL);
    if (command == F_GETLK || command == F_OFD_GETLK) lock->l_type = F_UNLCK;
    return 0;
}

static int status_flags(struct ics_file *f) {
    if (ics_is_of_host(f))
        return (int)ics_host_result(__ics_host_file(ICS_GETFL, f->host, "", "", 0, 0));
    return f->flags == -1 ? O_RDWR : f->flags;
}

static int set_status_flags(struct ics_file *f, int flags) {
    const int changed = O_APPEND | O_NONBLOCK | O_ASYNC | O_DIRECT | O_NOATIME;
    if (ics_is_of_host(f)) {
        long result = __ics_host_file(ICS_SETFL, f->host, "", "", flags & changed, 0);
        if (ics_host_result(result) < 0) return -1;
    }
    if (f->flags != -1) f->flags = (f->flags & ~changed) | (flags & changed);
    return 0;
}

static int duplicate_from(int fd, int from, int close_on_exec) {
    int done = ics_duplicate(fd, from, 0);
    if (done >= 0) *ics_descriptor_flags(done) = close_on_exec ? FD_CLOEXEC : 0;
    return done;
}

static int lock_argument(int command, va_list ap) {
    return lock(command, va_arg(ap, struct flock *));
}

static int set_descriptor_flags(int fd, int flags) {
    *ics_descriptor_flags(fd) = flags & FD_CLOEXEC;
    return 0;
}

/* The third argument is there only if the command has one. */
static int control(int fd, int command, va_list ap) {
    struct ics_file *f = ics_file(fd);
    if (!f) return -1;
    switch (command) {
    case F_DUPFD: return duplicate_from(fd, va_arg(ap, int), 0);
    case F_DUPFD_CLOEXEC: return duplicate_from(fd, va_arg(ap, int), 1);
    case F_GETFD: return *ics_descriptor_flags(fd);
    case F_SETFD: return set_descriptor_flags(fd, va_arg(ap, int));
    case F_GETFL: return status_flags(f);
    case F_SETFL: return set_status_flags(f, va_arg(ap, int));
    case F_GETLK:
    case F_SETLK:
    case F_SETLKW:
    case F_OFD_GETLK:
    case F_OFD_SETLK:
    case F_OFD_SETLKW: return lock_argument(command, ap);
    case F_SETOWN:
    case F_SETSIG:
    case F_GETOWN: return 0;
    case F_GETPIPE_SZ: return f->kind == ICS_PIPE ? 65536 : fail(EBADF);
    default: return fail(EINVAL);
    }
}

int fcntl(int fd, int command, ...) {
    va_list ap;
    va_start(ap, command);
    int result = control(fd, command, ap);
    va_end(ap);
    return result;
}

int fcntl64(int fd, int command, ...) {
    va_list ap;
    va_start(ap, command);
    int result = control(fd, command, ap);
    va_end(ap);
    return result;
}

int flock(int fd, int operation) {
    struct ics_file *f = ics_file(fd);
    if (!f) return -1;
    if (!ics_is_of_host(f)) return 0;
    long result = __ics_host_file(ICS_FLOCK, f->host, "", "", operation, 0);
    if (result == -EWOULDBLOCK && !(operation & LOCK_NB)) __ics_unsupported("flock that waits for another process");
    return (int)ics_host_result(result);
}

int lockf(int fd, int command, off_t size) {
    if (!ics_file(fd)) return -1;
    return command >= F_ULOCK && command <= F_TEST ? 0 : fail(EINVAL);
}

int lockf64(int fd, int command, off_t size) {
    return lockf(fd, command, size);
}

/* What is left to read at once. */
static int readable(struct ics_file *f) {
    if (f->kind == ICS_PIPE) return (int)ics_pipe_filled(f);
    if (f->kind == ICS_SOCKET) return (int)((const struct ics_socket *)f->object)->queued;
    if (!ics_is_of_host(f)) return 0;
    long at = __ics_host_seek(f->host, 0, SEEK_CUR), size = __ics_host_file_size(f->host);
    return at < 0 || size < at ? 0 : (int)(size - at);
}

static int count_readable(struct ics_file *f, int *to) {
    if (__ics_is_symbolic_domain()) *to = (int)__ics_input("ioctl(FIONREAD)", 31);
    else *to = readable(f);
    return 0;
}

static int set_blocking(struct ics_file *f, const int *off) {
    int flags = status_flags(f);
    return set_status_flags(f, *off ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
}

/* Nothing is a terminal. */
int ioctl(int fd, unsigned long request, ...) {
    struct ics_file *f = ics_file(fd);
    if (!f) return -1;
    va_list ap;
    va_start(ap, request);
    int result = 0;
    if (request == FIONBIO) result = set_blocking(f, va_arg(ap, int *));
    else if (request == FIONREAD) result = count_readable(f, va_arg(ap, int *));
    else if (request == FIOCLEX || request == FIONCLEX) set_descriptor_flags(fd, request == FIOCLEX ? FD_CLOEXEC : 0);
    else result = fail(ENOTTY);
    va_end(ap);
    return result;
}

/* One input says how much was read into all of them. */
static ssize_t input_vector(const struct iovec *v, int n) {
    size_t total = 0;
    for (int i = 0; i < n; i++) {
        __ics_input_bytes(v[i].iov_base, v[i].iov_len, "readv.data");
        total += v[i].iov_len;
    }
    unsigned long count = __ics_input("readv", 64);
    __ics_assume(((long)count >= -1) & ((long)count <= (long)total));
    errno = (int)__ics_select((long)count < 0, EIO, (unsigned long)errno);
    return (ssize_t)count;
}

/* As one transfer of the buffers put together. */
ssize_t readv(int fd, const struct iovec *v, int n) {
    if (n < 0 || n > 1024) return fail(EINVAL);
    ssize_t total = 0;
    struct ics_file *file = ics_file(fd);
    if (file && file->kind == ICS_INPUT_FILE) return input_vector(v, n);
    for (int i = 0; i < n; i++) {
        ssize_t count = read(fd, v[i].iov_base, v[i].iov_len);
        if (count < 0) return total ? total : -1;
        total += count;
        if ((size_t)count < v[i].iov_len) break;
        struct ics_file *f = ics_file(fd);
        if (f && f->kind != ICS_HOST_FILE && f->kind != ICS_SYMBOLIC_FILE && !(ics_ready(f) & POLLIN)) break;
    }
    return total;
}

ssize_t writev(int fd, const struct iovec *v, int n) {
    if (n < 0 || n > 1024) return fail(EINVAL);
    ssize_t total = 0;
    for (int i = 0; i < n; i++) {
        ssize_t count = write(fd, v[i].iov_base, v[i].iov_len);
        if (count < 0) return total ? total : -1;
        total += count;
        if ((size_t)count < v[i].iov_len) break;
    }
    return total;
}

ssize_t preadv(int fd, const struct iovec *v, int n, off_t offset) {
    off_t before = lseek(fd, 0, SEEK_CUR);
    if (before < 0 || lseek(fd, offset, SEEK_SET) < 0) return -1;
    ssize_t count = readv(fd, v, n);
    lseek(fd, before, SEEK_SET);
    return count;
}

ssize_t pwritev(int fd, const struct iovec *v, int n, off_t offset) {
    off_t before = lseek(fd, 0, SEEK_CUR);
    if (before < 0 || lseek(fd, offset, SEEK_SET) < 0) return -1;
    ssize_t count = writev(fd, v, n);
    lseek(fd, before, SEEK_SET);
    return count;
}
