/* Patterns for file names: fnmatch and glob. */
#include "ics.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int fold(int c, int flags) {
    return flags & FNM_CASEFOLD ? tolower(c) : c;
}

static int in_class(const char *name, size_t n, int c) {
    static const struct {
        const char *name;
        int (*test)(int);
    } classes[] = {{"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl}, {"digit", isdigit},
                   {"graph", isgraph}, {"lower", islower}, {"print", isprint}, {"punct", ispunct}, {"space", isspace},
                   {"upper", isupper}, {"xdigit", isxdigit}};
    for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strlen(classes[i].name) == n && memcmp(classes[i].name, name, n) == 0) return classes[i].test(c) != 0;
    return 0;
}

/* Matches c with the bracket expression behind '['; where it ends, or null if it is none. */
static const char *bracket(const char *p, int c, int flags, int *matched) {
    int inverted = *p == '!' || *p == '^', found = 0, escapes = !(flags & FNM_NOESCAPE);
    if (inverted) p++;
    for (int first = 1; first || *p != ']'; first = 0) {
        if (p[0] == '[' && p[1] == ':') {
            const char *end = strstr(p + 2, ":]");
            if (end) {
                found |= in_class(p + 2, (size_t)(end - p - 2), c);
                p = end + 2;
                continue;
            }
        }
        if (*p == '\\' && escapes) p++;
        if (!*p) return 0;
        int low = (unsigned char)*p++, high = low;
        if (p[0] == '-' && p[1] && p[1] != ']') {
            p++;
            if (*p == '\\' && escapes) p++;
            if (!*p) return 0;
            high = (unsigned char)*p++;
        }
        int folded = fold(c, flags);
        found |= (folded >= fold(low, flags) && folded <= fold(high, flags)) || (c >= low && c <= high);
    }
    *matched = found != inverted;
    return p + 1;
}

/* Whether a dot at s has to be matched by a dot. */
static int hidden(const char *s, const char *start, int flags) {
    return *s == '.' && flags & FNM_PERIOD && (s == start || (flags & FNM_PATHNAME && s[-1] == '/'));
}

static int match(const char *p, const char *s, const char *start, int flags) {
    for (; *p; p++, s++) {
        int c = (unsigned char)*s, matched = 0;
        switch (*p) {
        case '?':
            if (!c || (c == '/' && flags & FNM_PATHNAME) || hidden(s, start, flags)) return 0;
            break;
        case '*':
            if (hidden(s, start, flags)) return 0;
            while (p[1] == '*') p++;
            for (;; s++) {
                if (match(p + 1, s, start, flags)) return 1;
                if (!*s || (*s == '/' && flags & FNM_PATHNAME)) return 0;
            }
        case '[': {
            const char *end = bracket(p + 1, c, flags, &matched);
            if (!end) {
                if (c != '[') return 0;
                break;
            }
            if (!c || !matched || (c == '/' && flags & FNM_PATHNAME) || hidden(s, start, flags)) return 0;
            p = end - 1;
            break;
        }
        case '\\':
            if (!(flags & FNM_NOESCAPE) && !*++p) return 0;
            /* fall through */
        default:
            if (fold((unsigned char)*p, flags) != fold(c, flags)) return 0;
        }
    }
    return *s == 0 || (*s == '/' && flags & FNM_LEADING_DIR);
}

int fnmatch(const char *pattern, const char *s, int flags) {
    return match(pattern, s, s, flags) ? 0 : FNM_NOMATCH;
}

/* --- glob: the pattern's parts, from the left --- */

static int special(const char *p, size_t n, int flags) {
    for (size_t i = 0; i < n; i++)
        if (p[i] == '*' || p[i] == '?' || p[i] == '[' || (p[i] == '\\' && !(flags & GLOB_NOESCAPE))) return 1;
    return 0;
}

static int add(glob_t *g, const char *path, int flags) {
    size_t at = g->gl_offs + g->gl_pathc;
    struct stat s;
    char **bigger = realloc(g->gl_pathv, (at + 2) * sizeof *bigger);
    char *copy = malloc(strlen(path) + 2);
    if (!bigger || !copy) return GLOB_NOSPACE;
    strcpy(copy, path);
    if (flags & GLOB_MARK && stat(path, &s) == 0 && S_ISDIR(s.st_mode) && copy[strlen(copy) - 1] != '/')
        strcat(copy, "/");
    bigger[at] = copy;
    bigger[at + 1] = 0;
    g->gl_pathv = bigger;
    g->gl_pathc++;
    return 0;
}

typedef int on_error(const char *, int);

/* Adds what `rest` matches behind the path, which is `n` bytes long in `path`. */
static int expand(glob_t *g, char *path, size_t n, const char *rest, int flags, on_error *error) {
    while (*rest == '/') path[n++] = *rest++;
    path[n] = 0;
    size_t length = strcspn(rest, "/");
    struct stat s;
    if (length == 0) return lstat(*path ? path : ".", &s) ? 0 : add(g, path, flags);
    if (n + length + 1 >= 4096) return 0;
    if (!special(rest, length, flags)) {
        __ics_memcpy(path + n, rest, length);
        path[n + length] = 0;
        if (rest[length] == 0) return lstat(path, &s) ? 0 : add(g, path, flags);
        return expand(g, path, n + length, rest + length, flags, error);
    }
    char part[256];
    if (length >= sizeof part) return 0;
    __ics_memcpy(part, rest, length);
    part[length] = 0;
    DIR *d = opendir(*path ? path : ".");
    if (!d) return (error && error(path, errno)) || flags & GLOB_ERR ? GLOB_ABORTED : 0;
    int result = 0;
    for (struct dirent *e = 0; !result && (e = readdir(d));) {
        size_t m = strlen(e->d_name);
        int how = (flags & GLOB_PERIOD ? 0 : FNM_PERIOD) | (flags & GLOB_NOESCAPE ? FNM_NOESCAPE : 0);
        if (fnmatch(part, e->d_name, how) || n + m + 1 >= 4096) continue;
        __ics_memcpy(path + n, e->d_name, m + 1);
        if (rest[length] == 0) result = add(g, path, flags);
        else if (stat(path, &s) == 0 && S_ISDIR(s.st_mode))
            result = expand(g, path, n + m, rest + length, flags, error);
    }
    closedir(d);
    return result;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int glob(const char *pattern, int flags, on_error *error, glob_t *g) {
    char path[4096] = "";
    if (flags & (GLOB_BRACE | GLOB_TILDE | GLOB_ALTDIRFUNC)) __ics_unsupported("glob with braces or tildes");
    if (!(flags & GLOB_DOOFFS)) g->gl_offs = 0;
    if (!(flags & GLOB_APPEND)) {
        g->gl_pathc = 0;
        g->gl_pathv = calloc(g->gl_offs + 1, sizeof *g->gl_pathv);
    }
    size_t before = g->gl_pathc;
    int result = expand(g, path, 0, pattern, flags, error);
    if (result) return result;
    if (g->gl_pathc == before)
        return flags & GLOB_NOCHECK || (flags & GLOB_NOMAGIC && !special(pattern, strlen(pattern), flags))
                   ? add(g, pattern, flags & ~GLOB_MARK)
                   : GLOB_NOMATCH;
    char **first = g->gl_pathv + g->gl_offs + before;
    if (!(flags & GLOB_NOSORT)) qsort(first, g->gl_pathc - before, sizeof *first, by_name);
    return 0;
}

void globfree(glob_t *g) {
    for (size_t i = 0; i < g->gl_pathc; i++) free(g->gl_pathv[g->gl_offs + i]);
    free(g->gl_pathv);
    g->gl_pathv = 0;
    g->gl_pathc = 0;
}
