/* Files against glibc: the same generated calls in two directories, one by the models, one by the library; every result
 * and errno, and in the end what is there, have to agree. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine.h"

#define MODELS(X)                                                                                                      \
    X(mkdir) X(rmdir) X(unlink) X(remove) X(rename) X(link) X(symlink) X(readlink) X(access) X(chmod) X(truncate)      \
    X(open) X(close) X(read) X(write) X(lseek) X(pread) X(pwrite) X(dup) X(dup2) X(fcntl) X(ftruncate) X(stat)         \
    X(lstat) X(fstat) X(opendir) X(readdir) X(closedir) X(__errno_location)
#define DECLARE(name) MODEL(name);
MODELS(DECLARE)
int failures;

enum { FILES = 6 };
static const char *const names[] = {"a", "b", "d", "d/a", "d/b", "e", "a/x", "none/x", "", "d/"};
static char ours[32], theirs[32], second_ours[32], second_theirs[32];

/* The descriptors of the two sides; -1 if closed. */
static int fds[FILES][2];

static void pick(char *a, char *b) {
    const char *name = names[below(10)];
    snprintf(a, 32, *name ? "ours/%s" : "%s", name);
    snprintf(b, 32, *name ? "theirs/%s" : "%s", name);
}

/* Runs a call on both sides and compares result and errno;. */
#define BOTH(model, real)                                                                                              \
    do {                                                                                                               \
        *m___errno_location() = errno = 0;                                                                             \
        long got = (long)(model), wanted = (long)(real);                                                                      \
        CHECK(got == wanted && (got >= 0 || *m___errno_location() == errno), "%s: %ld (%d), not %ld (%d); %s", #real, got,  \
              *m___errno_location(), wanted, errno, theirs);                                                                \
    } while (0)

static void by_name(void) {
    struct stat s, t;
    char x[40] = "", y[40] = "";
    pick(ours, theirs);
    pick(second_ours, second_theirs);
    switch (below(12)) {
    case 0: BOTH(m_mkdir(ours, 0755), mkdir(theirs, 0755)); break;
    case 1: BOTH(m_rmdir(ours), rmdir(theirs)); break;
    case 2: BOTH(m_unlink(ours), unlink(theirs)); break;
    case 3: BOTH(m_remove(ours), remove(theirs)); break;
    case 4: BOTH(m_rename(ours, second_ours), rename(theirs, second_theirs)); break;
    case 5: BOTH(m_link(ours, second_ours), link(theirs, second_theirs)); break;
    case 6: BOTH(m_symlink("a", ours), symlink("a", theirs)); break;
    case 7: BOTH(m_readlink(ours, x, 30), readlink(theirs, y, 30)); break;
    case 8: {
        int mode = below(2) ? F_OK : X_OK;
        BOTH(m_access(ours, mode), access(theirs, mode));
        break;
    }
    case 9: BOTH(m_chmod(ours, 0640), chmod(theirs, 0640)); break;
    case 10: BOTH(m_truncate(ours, 5), truncate(theirs, 5)); break;
    default: {
        int link = below(2);
        memset(&s, 0, sizeof s), memset(&t, 0, sizeof t);
        BOTH(link ? m_lstat(ours, &s) : m_stat(ours, &s), link ? lstat(theirs, &t) : stat(theirs, &t));
        CHECK(s.st_mode == t.st_mode && s.st_nlink == t.st_nlink, "stat %s", theirs);
        if (!S_ISDIR(t.st_mode)) CHECK(s.st_size == t.st_size, "size of %s: %ld", theirs, (long)s.st_size);
    }
    }
    CHECK(strcmp(x, y) == 0, "readlink \"%s\", not \"%s\"", x, y);
}

static void open_one(int i) {
    static const int flags[] = {O_RDONLY, O_WRONLY | O_CREAT, O_RDWR | O_CREAT | O_TRUNC, O_RDWR | O_APPEND,
                                O_RDWR | O_CREAT | O_EXCL, O_RDONLY | O_DIRECTORY, O_RDWR};
    int how = flags[below(7)];
    pick(ours, theirs);
    *m___errno_location() = errno = 0;
    fds[i][0] = m_open(ours, how, 0644);
    fds[i][1] = open(theirs, how, 0644);
    CHECK((fds[i][0] < 0) == (fds[i][1] < 0), "open %s, %o: %d, not %d", theirs, how, fds[i][0], fds[i][1]);
    if (fds[i][1] < 0) CHECK(*m___errno_location() == errno, "open %s: errno %d", theirs, *m___errno_location());
}

static void by_descriptor(void) {
    int i = below(FILES), a = fds[i][0], b = fds[i][1], n = below(40), at = below(60) - 5, whence = below(3);
    char x[40], y[40], text[40];
    memset(x, 1, sizeof x), memset(y, 1, sizeof y);
    for (int k = 0; k < n; k++) text[k] = (char)('a' + below(26));
    if (b < 0) {
        open_one(i);
        return;
    }
    switch (below(9)) {
    case 0: BOTH(m_read(a, x, n), read(b, y, n)); break;
    case 1: BOTH(m_write(a, text, n), write(b, text, n)); break;
    case 2: BOTH(m_lseek(a, at, whence), lseek(b, at, whence)); break;
    case 3: BOTH(m_pread(a, x, n, 3), pread(b, y, n, 3)); break;
    case 4: BOTH(m_pwrite(a, text, n, 7), pwrite(b, text, n, 7)); break;
    case 5: BOTH(m_ftruncate(a, n), ftruncate(b, n)); break;
    case 6: {
        int k = below(FILES);
        if (fds[k][1] >= 0) break;
        fds[k][0] = m_dup(a), fds[k][1] = dup(b);
        break;
    }
    case 7: BOTH(m_fcntl(a, F_GETFL), fcntl(b, F_GETFL)); break;
    default:
        BOTH(m_close(a), close(b));
        fds[i][0] = fds[i][1] = -1;
    }
    CHECK(memcmp(x, y, sizeof x) == 0, "what was read");
}

/* The names in a directory, as one number. */
static unsigned long listing(DIR *(*open)(const char *), struct dirent *(*next)(DIR *), int (*close)(DIR *),
                             const char *path) {
    unsigned long sum = 0;
    DIR *d = open(path);
    if (!d) return 1;
    for (struct dirent *e; (e = next(d));) {
        unsigned long h = e->d_type;
        for (const char *p = e->d_name; *p; p++) h = h * 31 + (unsigned char)*p;
        sum += h * h;
    }
    close(d);
    return sum;
}

static void compare_contents(void) {
    for (int i = 0; i < 6; i++) {
        char x[4096], y[4096];
        snprintf(ours, sizeof ours, "ours/%s", names[i]);
        snprintf(theirs, sizeof theirs, "theirs/%s", names[i]);
        int a = open(ours, O_RDONLY), b = open(theirs, O_RDONLY);
        CHECK((a < 0) == (b < 0), "%s is there on one side", theirs);
        ssize_t n = read(a, x, sizeof x), m = read(b, y, sizeof y);
        CHECK(n == m && (n <= 0 || memcmp(x, y, (size_t)n) == 0), "contents of %s: %zd, %zd bytes", theirs, n, m);
        close(a), close(b);
        CHECK(listing(m_opendir, m_readdir, m_closedir, ours) == listing(opendir, readdir, closedir, theirs),
              "entries of %s", theirs);
    }
}

static void clean(void) {
    for (int i = 0; i < FILES; i++)
        if (fds[i][1] >= 0) m_close(fds[i][0]), close(fds[i][1]), fds[i][0] = fds[i][1] = -1;
    static const char *const all[] = {"d/a", "d/b", "a", "b", "d", "e"};
    for (int i = 0; i < 12; i++) {
        snprintf(theirs, sizeof theirs, "%s/%s", i < 6 ? "ours" : "theirs", all[i % 6]);
        remove(theirs);
    }
}

int main(void) {
    memset(fds, -1, sizeof fds);
    mkdir("ours", 0755);
    mkdir("theirs", 0755);
    for (int round = 0; round < 1500 && !failures; round++) {
        for (int i = below(80); i > 0 && !failures; i--)
            if (below(2)) by_name();
            else by_descriptor();
        compare_contents();
        clean();
    }
    rmdir("ours");
    rmdir("theirs");
    return failures != 0;
}
