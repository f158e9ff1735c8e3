/* Temporary files. Names are counted, not random, so that a run can be repeated; one that exists is passed over. */
#include "ics.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned long names;

/* Fills the six X before the last `suffix` bytes; null with EINVAL if they are not there. */
static char *place(char *pattern, int suffix) {
    size_t n = strlen(pattern);
    if (suffix >= 0 && n >= 6u + (unsigned)suffix && memcmp(pattern + n - 6 - suffix, "XXXXXX", 6) == 0)
        return pattern + n - 6 - suffix;
    errno = EINVAL;
    return 0;
}

static void next_name(char *x) {
    unsigned long value = names++;
    for (int i = 5; i >= 0; i--, value /= 36) x[i] = "0123456789abcdefghijklmnopqrstuvwxyz"[value % 36];
}

int mkostemps(char *pattern, int suffix, int flags) {
    char *x = place(pattern, suffix);
    if (!x) return -1;
    for (;;) {
        next_name(x);
        int fd = open(pattern, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600);
        if (__ics_is_symbolic_domain() || fd >= 0 || errno != EEXIST) return fd;
    }
}

int mkstemps(char *pattern, int suffix) {
    return mkostemps(pattern, suffix, 0);
}

int mkostemp(char *pattern, int flags) {
    return mkostemps(pattern, 0, flags);
}

int mkstemp(char *pattern) {
    return mkostemps(pattern, 0, 0);
}

int mkstemp64(char *pattern) {
    return mkostemps(pattern, 0, 0);
}

char *mkdtemp(char *pattern) {
    char *x = place(pattern, 0);
    if (!x) return 0;
    for (;;) {
        next_name(x);
        int result = mkdir(pattern, 0700);
        if (__ics_is_symbolic_domain()) return ICS_SELECT_PTR(result == 0, pattern, 0);
        if (result == 0) return pattern;
        if (errno != EEXIST) return 0;
    }
}

char *mktemp(char *pattern) {
    char *x = place(pattern, 0);
    if (!x) {
        *pattern = 0;
        return pattern;
    }
    do next_name(x);
    while (!__ics_is_symbolic_domain() && access(pattern, F_OK) == 0);
    return pattern;
}

char *tmpnam(char *to) {
    static char own[L_tmpnam];
    if (!to) to = own;
    strcpy(to, P_tmpdir "/fileXXXXXX");
    return mktemp(to);
}

char *tempnam(const char *directory, const char *prefix) {
    char path[PATH_MAX];
    if (!directory || access(directory, W_OK)) directory = P_tmpdir;
    snprintf(path, sizeof path, "%s/%.5sXXXXXX", directory, prefix ? prefix : "file");
    return strdup(mktemp(path));
}

FILE *tmpfile(void) {
    int fd = open(P_tmpdir, O_TMPFILE | O_RDWR | O_EXCL, 0600);
    return fd < 0 ? 0 : fdopen(fd, "w+");
}

FILE *tmpfile64(void) {
    return tmpfile();
}
