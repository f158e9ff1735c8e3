/* Files and directories by name: the host's in the concrete domain; in the symbolic domain whether a call succeeds is
 * an input, and nothing else changes. */
#include "ics.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

#include "ics_files.h"
#include "ics_memory.h"

static int fail(int error) {
    errno = error;
    return -1;
}

/* A call of the host on a path that starts from a directory of the program. */
static int operate(int operation, const char *call, int directory, const char *path, const char *other, long a, long b) {
    if (__ics_is_symbolic_domain()) return ics_outcome(call, path, EACCES);
    if (directory != AT_FDCWD && (directory = ics_host_descriptor(directory)) == -1) return -1;
    return (int)ics_host_result(__ics_host_file(operation, directory, path, other, a, b));
}

/* A call of the host on an open file. */
static int operate_on(int operation, const char *call, int fd, long a, long b) {
    struct ics_file *f = ics_file(fd);
    if (!f) return -1;
    if (__ics_is_symbolic_domain()) return ics_outcome(call, 0, EIO);
    if (!ics_is_of_host(f)) return fail(EINVAL);
    return (int)ics_host_result(__ics_host_file(operation, f->host, "", "", a, b));
}

/* 1 if it is known that there is such a file, 0 if it is known that there is none, else -1. */
static int known(const char *path) {
    if (!__ics_is_symbolic_domain() || __ics_string_symbolic(path)) return -1;
    int index = __ics_symbolic_file(path);
    return index < 0 ? -1 : __ics_symbolic_file_size(index) >= 0;
}

int access(const char *path, int mode) {
    int there = known(path);
    if (there >= 0) return there ? 0 : fail(ENOENT);
    return operate(ICS_ACCESS, "access", AT_FDCWD, path, "", mode, 0);
}

int faccessat(int directory, const char *path, int mode, int flags) {
    return operate(ICS_ACCESS, "faccessat", directory, path, "", mode, flags);
}

int eaccess(const char *path, int mode) {
    return operate(ICS_ACCESS, "access", AT_FDCWD, path, "", mode, AT_EACCESS);
}

int unlink(const char *path) {
    return operate(ICS_UNLINK, "unlink", AT_FDCWD, path, "", 0, 0);
}

int unlinkat(int directory, const char *path, int flags) {
    return operate(ICS_UNLINK, "unlinkat", directory, path, "", flags, 0);
}

int rmdir(const char *path) {
    return operate(ICS_UNLINK, "rmdir", AT_FDCWD, path, "", AT_REMOVEDIR, 0);
}

int remove(const char *path) {
    if (__ics_is_symbolic_domain()) return ics_outcome("remove", path, ENOENT);
    long result = __ics_host_file(ICS_UNLINK, AT_FDCWD, path, "", 0, 0);
    if (result == -EISDIR) result = __ics_host_file(ICS_UNLINK, AT_FDCWD, path, "", AT_REMOVEDIR, 0);
    return (int)ics_host_result(result);
}

/* Both directories are the program's descriptors. */
static int two(int operation, const char *call, int from, const char *path, int to, const char *other, long flags) {
    if (!__ics_is_symbolic_domain() && to != AT_FDCWD && (to = ics_host_descriptor(to)) == -1) return -1;
    return operate(operation, call, from, path, other, to, flags);
}

int rename(const char *path, const char *other) {
    return two(ICS_RENAME, "rename", AT_FDCWD, path, AT_FDCWD, other, 0);
}

int renameat(int from, const char *path, int to, const char *other) {
    return two(ICS_RENAME, "renameat", from, path, to, other, 0);
}

int link(const char *path, const char *other) {
    return two(ICS_LINK, "link", AT_FDCWD, path, AT_FDCWD, other, 0);
}

int linkat(int from, const char *path, int to, const char *other, int flags) {
    return two(ICS_LINK, "linkat", from, path, to, other, flags);
}

int symlink(const char *text, const char *path) {
    return operate(ICS_SYMLINK, "symlink", AT_FDCWD, path, text, 0, 0);
}

int symlinkat(const char *text, int directory, const char *path) {
    return operate(ICS_SYMLINK, "symlinkat", directory, path, text, 0, 0);
}

int mkdir(const char *path, mode_t mode) {
    return operate(ICS_MKDIR, "mkdir", AT_FDCWD, path, "", mode, 0);
}

int mkdirat(int directory, const char *path, mode_t mode) {
    return operate(ICS_MKDIR, "mkdirat", directory, path, "", mode, 0);
}

int mkfifo(const char *path, mode_t mode) {
    return operate(ICS_MKFIFO, "mkfifo", AT_FDCWD, path, "", mode, 0);
}

int chmod(const char *path, mode_t mode) {
    return operate(ICS_CHMOD, "chmod", AT_FDCWD, path, "", mode, 0);
}

int fchmodat(int directory, const char *path, mode_t mode, int flags) {
    if (flags) return fail(EOPNOTSUPP);
    return operate(ICS_CHMOD, "fchmodat", directory, path, "", mode, 0);
}

int fchmod(int fd, mode_t mode) {
    return operate_on(ICS_FCHMOD, "fchmod", fd, mode, 0);
}

int chown(const char *path, uid_t user, gid_t group) {
    return operate(ICS_CHOWN, "chown", AT_FDCWD, path, "", user, group);
}

int fchown(int fd, uid_t user, gid_t group) {
    return operate_on(ICS_FCHOWN, "fchown", fd, user, group);
}

mode_t umask(mode_t mask) {
    static mode_t last = 022;
    mode_t before = last;
    last = mask & 0777;
    return __ics_is_symbolic_domain() ? before : (mode_t)__ics_host_file(ICS_UMASK, AT_FDCWD, "", "", mask & 0777, 0);
}

int truncate(const char *path, off_t size) {
    if (__ics_is_symbolic_domain()) return ics_outcome("truncate", path, EACCES);
    if (size < 0) return fail(EINVAL);
    int fd = open(path, O_WRONLY);
    if (fd < 0) return -1;
    int result = ftruncate(fd, size), error = errno;
    close(fd);
    errno = error;
    return result;
}

int truncate64(const char *path, off_t size) {
    return truncate(path, size);
}

int ftruncate(int fd, off_t size) {
    return operate_on(ICS_TRUNCATE, "ftruncate", fd, size, 0);
}

int ftruncate64(int fd, off_t size) {
    return operate_on(ICS_TRUNCATE, "ftruncate", fd, size, 0);
}

int fsync(int fd) {
    return operate_on(ICS_FSYNC, "fsync", fd, 0, 0);
}

int fdatasync(int fd) {
    return operate_on(ICS_FSYNC, "fdatasync", fd, 0, 0);
}

void sync(void) {
}

int posix_fadvise(int fd, off_t offset, off_t size, int advice) {
    return ics_file(fd) ? 0 : EBADF;
}

int posix_fadvise64(int fd, off_t offset, off_t size, int advice) {
    return ics_file(fd) ? 0 : EBADF;
}

/* Space is not reserved; the file gets the size. */
int posix_fallocate(int fd, off_t offset, off_t size) {
    if (offset < 0 || size <= 0) return EINVAL;
    struct ics_file *f = ics_file(fd);
    if (!f) return EBADF;
    if (!ics_is_of_host(f)) return 0;
    if (__ics_host_file_size(f->host) >= offset + size) return 0;
    long result = __ics_host_file(ICS_TRUNCATE, f->host, "", "", offset + size, 0);
    return result < 0 ? (int)-result : 0;
}

int posix_fallocate64(int fd, off_t offset, off_t size) {
    return posix_fallocate(fd, offset, size);
}

int fallocate(int fd, int mode, off_t offset, off_t size) {
    if (mode) return fail(EOPNOTSUPP);
    int error = posix_fallocate(fd, offset, size);
    return error ? fail(error) : 0;
}

/* --- times --- */

/* What the host takes: nanoseconds, the least number for now and the one above for no change. */
static long nanoseconds(const struct timespec *t) {
    if (!t || t->tv_nsec == UTIME_NOW) return LONG_MIN;
    if (t->tv_nsec == UTIME_OMIT) return LONG_MIN + 1;
    return t->tv_sec * 1000000000 + t->tv_nsec;
}

int utimensat(int directory, const char *path, const struct timespec times[2], int flags) {
    if (flags) __ics_unsupported("utimensat with flags");
    long a = nanoseconds(times), b = nanoseconds(times ? times + 1 : 0);
    return operate(ICS_UTIME, "utimensat", directory, path, "", a, b);
}

int futimens(int fd, const struct timespec times[2]) {
    return operate_on(ICS_FUTIME, "futimens", fd, nanoseconds(times), nanoseconds(times ? times + 1 : 0));
}

int utimes(const char *path, const struct timeval times[2]) {
    long t[2] = {LONG_MIN, LONG_MIN};
    for (int i = 0; times && i < 2; i++) t[i] = times[i].tv_sec * 1000000000 + times[i].tv_usec * 1000;
    return operate(ICS_UTIME, "utimes", AT_FDCWD, path, "", t[0], t[1]);
}

int futimes(int fd, const struct timeval times[2]) {
    long t[2] = {LONG_MIN, LONG_MIN};
    for (int i = 0; times && i < 2; i++) t[i] = times[i].tv_sec * 1000000000 + times[i].tv_usec * 1000;
    return operate_on(ICS_FUTIME, "futimes", fd, t[0], t[1]);
}

int utime(const char *path, const struct utimbuf *times) {
    long a = times ? times->actime * 1000000000 : LONG_MIN, b = times ? times->modtime * 1000000000 : LONG_MIN;
    return operate(ICS_UTIME, "utime", AT_FDCWD, path, "", a, b);
}

/* --- where we are, and where links lead --- */

int chdir(const char *path) {
    if (!__ics_is_symbolic_domain() && !*path) return fail(ENOENT);
    return operate(ICS_CHDIR, "chdir", AT_FDCWD, path, "", 0, 0);
}

int fchdir(int fd) {
    return operate_on(ICS_CHDIR, "fchdir", fd, 0, 0);
}

/* A text that the host knows, or that is an input: at most `size` bytes; its length, or -1. */
static long text(int query, const char *call, int directory, const char *path, char *to, size_t size) {
    if (!__ics_is_symbolic_domain()) return ics_host_result(__ics_host_query(query, directory, path, to, size));
    if (ics_outcome(call, path, EACCES)) return -1;
    __ics_input_bytes(to, size, call);
    return (long)size;
}

char *getcwd(char *to, size_t size) {
    char path[PATH_MAX];
    if (to && size == 0) {
        errno = EINVAL;
        return 0;
    }
    long n = text(ICS_CWD, "getcwd", AT_FDCWD, "", path, to && size < PATH_MAX ? size : PATH_MAX - 1);
    if (n < 0) return 0;
    if (__ics_is_symbolic_domain()) {
        n = to && size < PATH_MAX ? (long)size - 1 : 255;
        path[0] = '/';
    } else if (size && (size_t)n >= size) {
        errno = ERANGE;
        return 0;
    }
    path[n] = 0;
    if (!to && !(to = ics_shared_malloc(size ? size : (size_t)n + 1))) return 0;
    __ics_memcpy(to, path, (size_t)n + 1);
    return to;
}

char *__getcwd_chk(char *to, size_t size, size_t room) {
    return getcwd(to, size);
}

char *getwd(char *to) {
    return getcwd(to, PATH_MAX);
}

char *get_current_dir_name(void) {
    return getcwd(0, 0);
}

ssize_t readlinkat(int directory, const char *path, char *to, size_t size) {
    if (!__ics_is_symbolic_domain() && directory != AT_FDCWD && (directory = ics_host_descriptor(directory)) == -1)
        return -1;
    if ((long)size <= 0) return fail(EINVAL);
    long n = text(ICS_READLINK, "readlink", directory, path, to, size);
    return n > (long)size ? (long)size : n;
}

ssize_t readlink(const char *path, char *to, size_t size) {
    return readlinkat(AT_FDCWD, path, to, size);
}

ssize_t __readlink_chk(const char *path, char *to, size_t size, size_t room) {
    return readlink(path, to, size);
}

char *realpath(const char *path, char *to) {
    char found[PATH_MAX];
    if (!path) {
        errno = EINVAL;
        return 0;
    }
    long n = text(ICS_REALPATH, "realpath", AT_FDCWD, path, found, PATH_MAX - 1);
    if (n < 0) return 0;
    if (n > PATH_MAX - 1) {
        errno = ENAMETOOLONG;
        return 0;
    }
    if (__ics_is_symbolic_domain()) found[n = 255] = 0, found[0] = '/';
    found[n] = 0;
    if (!to && !(to = ics_shared_malloc((size_t)n + 1))) return 0;
    __ics_memcpy(to, found, (size_t)n + 1);
    return to;
}

char *__realpath_chk(const char *path, char *to, size_t room) {
    return realpath(path, to);
}

char *canonicalize_file_name(const char *path) {
    return realpath(path, 0);
}
