/* The stat family, under all the names that C libraries gave it. */
#include "ics.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ics_files.h"

#undef stat64
#undef fstat64
#undef lstat64
#undef fstatat64

static int fail(int error) {
    errno = error;
    return -1;
}

/* A file of which only the size is known. */
static void describe(struct stat *s, unsigned mode, long size) {
    __ics_memset(s, 0, sizeof *s);
    s->st_mode = mode;
    s->st_nlink = 1;
    s->st_size = size;
    s->st_blksize = 4096;
    s->st_blocks = (size + 511) / 512;
}

static int input(struct stat *s, const char *call, const char *path) {
    __ics_input_bytes(s, sizeof *s, call);
    __ics_assume(s->st_size >= 0);
    return ics_outcome(call, path, ENOENT);
}

static int by_path(int query, int directory, const char *path, struct stat *s) {
    if (!__ics_is_symbolic_domain()) {
        if (directory != AT_FDCWD && (directory = ics_host_descriptor(directory)) == -1) return -1;
        return ics_host_result(__ics_host_query(query, directory, path, s, sizeof *s)) < 0 ? -1 : 0;
    }
    int index = __ics_string_symbolic(path) ? -1 : __ics_symbolic_file(path);
    if (index < 0) return input(s, "stat", path);
    long size = __ics_symbolic_file_size(index);
    if (size < 0) {
        errno = ENOENT;
        return -1;
    }
    describe(s, S_IFREG | 0644, size);
    return 0;
}

int stat(const char *path, struct stat *s) {
    return by_path(ICS_STAT, AT_FDCWD, path, s);
}

int lstat(const char *path, struct stat *s) {
    return by_path(ICS_LSTAT, AT_FDCWD, path, s);
}

int fstat(int fd, struct stat *s) {
    struct ics_file *f = ics_file(fd);
    if (!f) return -1;
    switch (f->kind) {
    case ICS_HOST_FILE:
        return ics_host_result(__ics_host_query(ICS_FSTAT, f->host, "", s, sizeof *s)) < 0 ? -1 : 0;
    case ICS_PIPE: describe(s, S_IFIFO | 0600, 0); return 0;
    case ICS_SOCKET: describe(s, S_IFSOCK | 0777, 0); return 0;
    case ICS_EVENT:
    case ICS_TIMER:
    case ICS_EPOLL: describe(s, 0600, 0); return 0;
    case ICS_SYMBOLIC_FILE: describe(s, S_IFREG | 0644, f->size); return 0;
    case ICS_INPUT_FILE:
    case ICS_STANDARD:
    case ICS_CLOSED: break;
    }
    return input(s, "fstat", 0);
}

int fstatat(int directory, const char *path, struct stat *s, int flags) {
    if (flags & AT_EMPTY_PATH && !*path) return fstat(directory, s);
    if (flags & ~(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH)) return fail(EINVAL);
    return by_path(flags & AT_SYMLINK_NOFOLLOW ? ICS_LSTAT : ICS_STAT, directory, path, s);
}

/* `struct stat64` is `struct stat` here. */
int stat64(const char *path, struct stat64 *s) {
    return stat(path, (struct stat *)s);
}

int lstat64(const char *path, struct stat64 *s) {
    return lstat(path, (struct stat *)s);
}

int fstat64(int fd, struct stat64 *s) {
    return fstat(fd, (struct stat *)s);
}

int fstatat64(int directory, const char *path, struct stat64 *s, int flags) {
    return fstatat(directory, path, (struct stat *)s, flags);
}

/* What the functions were before glibc 2.33. */
int __xstat(int version, const char *path, struct stat *s) {
    return stat(path, s);
}

int __lxstat(int version, const char *path, struct stat *s) {
    return lstat(path, s);
}

int __fxstat(int version, int fd, struct stat *s) {
    return fstat(fd, s);
}

int __fxstatat(int version, int directory, const char *path, struct stat *s, int flags) {
    return fstatat(directory, path, s, flags);
}

int __xstat64(int version, const char *path, struct stat64 *s) {
    return stat(path, (struct stat *)s);
}

int __lxstat64(int version, const char *path, struct stat64 *s) {
    return lstat(path, (struct stat *)s);
}

int __fxstat64(int version, int fd, struct stat64 *s) {
    return fstat(fd, (struct stat *)s);
}
