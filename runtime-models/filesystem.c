/* What a file system says about itself: fixed figures, so that a run does not depend on where it is made; inputs of the
 * symbolic domain. */
#include "ics.h"

#include <errno.h>
#include <limits.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "ics_files.h"

#undef statfs64
#undef fstatfs64
#undef statvfs64
#undef fstatvfs64

enum { BLOCK = 4096, BLOCKS = 1 << 24, FREE = 1 << 23, FILES = 1 << 22, EXT4 = 0xef53 };

static int describe(struct statfs *to, const char *call, const char *path) {
    if (__ics_is_symbolic_domain()) {
        __ics_input_bytes(to, sizeof *to, call);
        return ics_outcome(call, path, ENOENT);
    }
    *to = (struct statfs){.f_type = EXT4, .f_bsize = BLOCK, .f_blocks = BLOCKS, .f_bfree = FREE, .f_bavail = FREE,
                          .f_files = FILES, .f_ffree = FILES / 2, .f_namelen = NAME_MAX, .f_frsize = BLOCK};
    return 0;
}

int statfs(const char *path, struct statfs *to) {
    if (!__ics_is_symbolic_domain() && access(path, F_OK) < 0) return -1;
    return describe(to, "statfs", path);
}

int fstatfs(int fd, struct statfs *to) {
    return ics_file(fd) ? describe(to, "fstatfs", 0) : -1;
}

static int translate(int result, const struct statfs *s, struct statvfs *to) {
    *to = (struct statvfs){.f_bsize = (unsigned long)s->f_bsize, .f_frsize = (unsigned long)s->f_frsize,
                           .f_blocks = s->f_blocks, .f_bfree = s->f_bfree, .f_bavail = s->f_bavail,
                           .f_files = s->f_files, .f_ffree = s->f_ffree, .f_favail = s->f_ffree,
                           .f_namemax = (unsigned long)s->f_namelen};
    return result;
}

int statvfs(const char *path, struct statvfs *to) {
    struct statfs s;
    int result = statfs(path, &s);
    return result < 0 && !__ics_is_symbolic_domain() ? -1 : translate(result, &s, to);
}

int fstatvfs(int fd, struct statvfs *to) {
    struct statfs s;
    if (!ics_file(fd)) return -1;
    return translate(fstatfs(fd, &s), &s, to);
}

/* The structures of the 64-bit names are the same here. */
int statfs64(const char *path, struct statfs64 *to) {
    return statfs(path, (struct statfs *)to);
}

int fstatfs64(int fd, struct statfs64 *to) {
    return fstatfs(fd, (struct statfs *)to);
}

int statvfs64(const char *path, struct statvfs64 *to) {
    return statvfs(path, (struct statvfs *)to);
}

int fstatvfs64(int fd, struct statvfs64 *to) {
    return fstatvfs(fd, (struct statvfs *)to);
}
