/* ftw and nftw: a walk through a directory and what is below it, in the order of glibc: entries as the directory has
 * them, a directory before what is in it unless FTW_DEPTH. In the symbolic domain what is found is an input: any number
 * of entries, each with any path of at most 255 bytes, of any type, in any order. */
#include "ics.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>

#include "ics_files.h"
#include "ics_memory.h"

#undef ftw64
#undef nftw64

typedef int simple(const char *, const struct stat *, int);
typedef int full(const char *, const struct stat *, int, struct FTW *);

/* A directory that the walk has entered: links may lead to it again. */
struct entered {
    struct entered *next;
    dev_t device;
    ino_t node;
};

struct walk {
    simple *simple; /* one of these two */
    full *full;
    int flags;
    dev_t device;
    struct entered *entered;
};

/* ftw knows fewer types than nftw. */
static int simply(int type) {
    switch (type) {
    case FTW_SL: return FTW_F;
    case FTW_SLN: return FTW_NS;
    case FTW_DP: return FTW_D;
    default: return type;
    }
}

static int tell(const struct walk *w, const char *path, const struct stat *s, int type, struct FTW at) {
    return w->simple ? w->simple(path, s, simply(type)) : w->full(path, s, type, &at);
}

static int is_new(struct walk *w, const struct stat *s) {
    for (struct entered *e = w->entered; e; e = e->next)
        if (e->device == s->st_dev && e->node == s->st_ino) return 0;
    struct entered *e = __ics_malloc(sizeof *e, 0);
    *e = (struct entered){w->entered, s->st_dev, s->st_ino};
    w->entered = e;
    return 1;
}

static int describe(const struct walk *w, const char *path, struct stat *s) {
    return w->flags & FTW_PHYS ? lstat(path, s) : stat(path, s);
}

static int visit(struct walk *w, const char *path, struct FTW at);

/* What is in an open directory. */
static int visit_entries(struct walk *w, DIR *d, const char *path, struct FTW at) {
    size_t length = strlen(path);
    int slash = length > 0 && path[length - 1] == '/';
    at.base = (int)length + !slash;
    at.level++;
    int result = 0;
    for (struct dirent *entry = 0; result == 0 && (entry = readdir(d));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        char *below = __ics_malloc(length + 2 + strlen(entry->d_name), 0);
        __ics_memcpy(below, path, length);
        below[length] = '/';
        strcpy(below + at.base, entry->d_name);
        result = visit(w, below, at);
        __ics_free(below);
    }
    return result;
}

static int visit_directory(struct walk *w, const char *path, struct stat *s, struct FTW at) {
    DIR *d = opendir(path);
    if (!d) return errno == EACCES ? tell(w, path, s, FTW_DNR, at) : -1;
    int result = w->flags & FTW_DEPTH ? 0 : tell(w, path, s, FTW_D, at);
    if (result == 0) result = visit_entries(w, d, path, at);
    closedir(d);
    return result == 0 && (w->flags & FTW_DEPTH) ? tell(w, path, s, FTW_DP, at) : result;
}

static int visit(struct walk *w, const char *path, struct FTW at) {
    struct stat s;
    if (describe(w, path, &s) < 0) {
        if (errno != EACCES && errno != ENOENT) return -1;
        int is_link = !(w->flags & FTW_PHYS) && lstat(path, &s) == 0 && S_ISLNK(s.st_mode);
        return tell(w, path, &s, is_link ? FTW_SLN : FTW_NS, at);
    }
    if ((w->flags & FTW_MOUNT) && s.st_dev != w->device) return 0;
    if (!S_ISDIR(s.st_mode)) return tell(w, path, &s, S_ISLNK(s.st_mode) ? FTW_SL : FTW_F, at);
    return (w->flags & FTW_PHYS) || is_new(w, &s) ? visit_directory(w, path, &s, at) : 0;
}

/* Where the walk begins: what cannot be looked at is an error. */
static int visit_root(struct walk *w, const char *path) {
    struct stat s;
    const char *slash = strrchr(path, '/');
    struct FTW at = {.base = slash ? (int)(slash + 1 - path) : 0};
    if (describe(w, path, &s) < 0) {
        int is_link = errno == ENOENT && !(w->flags & FTW_PHYS) && lstat(path, &s) == 0 && S_ISLNK(s.st_mode);
        return is_link ? tell(w, path, &s, FTW_SLN, at) : -1;
    }
    w->device = s.st_dev;
    return visit(w, path, at);
}

static int walk_host(struct walk *w, const char *path) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    char *root = ics_text(path, length);
    int result = visit_root(w, root);
    int error = errno;
    __ics_free(root);
    while (w->entered) {
        struct entered *e = w->entered;
        w->entered = e->next;
        __ics_free(e);
    }
    errno = error;
    return result;
}

static int walk_inputs(const struct walk *w, const char *root) {
    char path[256];
    struct stat s;
    while (__ics_input("ftw", 1) & 1) {
        __ics_input_bytes(path, sizeof path - 1, "ftw.path");
        path[sizeof path - 1] = 0;
        __ics_input_bytes(&s, sizeof s, "ftw.stat");
        __ics_assume(s.st_size >= 0);
        int type = (int)__ics_input("ftw.type", 3);
        __ics_assume(type <= (w->simple ? FTW_NS : FTW_SLN));
        struct FTW at = {.base = (int)__ics_input("ftw.base", 8), .level = (int)__ics_input("ftw.level", 31)};
        __ics_assume((size_t)at.base < sizeof path);
        int result = w->simple ? w->simple(path, &s, type) : w->full(path, &s, type, &at);
        if (result) return result;
    }
    return ics_outcome("ftw.end", root, ENOENT);
}

static int walk(const char *path, struct walk w) {
    if (w.flags & (FTW_CHDIR | FTW_ACTIONRETVAL)) __ics_unsupported("nftw with FTW_CHDIR or FTW_ACTIONRETVAL");
    if (__ics_is_symbolic_domain()) return walk_inputs(&w, path);
    if (*path) return walk_host(&w, path);
    errno = ENOENT;
    return -1;
}

int ftw(const char *path, simple *call, int descriptors) {
    return walk(path, (struct walk){.simple = call});
}

int ftw64(const char *path, int (*call)(const char *, const struct stat64 *, int), int descriptors) {
    return ftw(path, (simple *)call, descriptors);
}

int nftw(const char *path, full *call, int descriptors, int flags) {
    return walk(path, (struct walk){.full = call, .flags = flags});
}

int nftw64(const char *path, int (*call)(const char *, const struct stat64 *, int, struct FTW *), int descriptors,
           int flags) {
    return nftw(path, (full *)call, descriptors, flags);
}
