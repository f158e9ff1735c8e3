/* Directories. All entries are read when one is opened; in the symbolic domain each entry is an input. */
#include "ics.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ics_files.h"
#include "ics_memory.h"

#undef readdir64
#undef scandir64
#undef alphasort64

struct __dirstream {
    int fd;
    size_t size, at;
    char *entries; /* `size` bytes of struct dirent, cut off behind the names, and room for a whole one behind */
    struct dirent input;
};

/* Reads all entries; an errno value. */
static int load(DIR *d) {
    int host = ics_host_descriptor(d->fd);
    size_t room = 8192;
    for (;;) {
        char *entries = __ics_malloc(room + sizeof(struct dirent), 1);
        long size = __ics_host_query(ICS_ENTRIES, host, "", entries, room);
        if (size >= 0 && (size_t)size <= room) {
            __ics_free(d->entries);
            d->entries = entries;
            d->size = (size_t)size;
            d->at = 0;
            return 0;
        }
        __ics_free(entries);
        if (size < 0) return (int)-size;
        room = 2 * (size_t)size;
    }
}

DIR *fdopendir(int fd) {
    if (!ics_file(fd)) return 0;
    DIR *d = __ics_malloc(sizeof *d, 1);
    d->fd = fd;
    int error = __ics_is_symbolic_domain() ? 0 : load(d);
    if (!error) return d;
    __ics_free(d);
    errno = error;
    return 0;
}

DIR *opendir(const char *path) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return 0;
    DIR *d = fdopendir(fd);
    if (!d) close(fd);
    return d;
}

static void fill_entry(struct dirent *entry) {
    __ics_input_bytes(entry, sizeof *entry, "readdir.entry");
    entry->d_reclen = sizeof *entry;
    entry->d_name[sizeof entry->d_name - 1] = 0;
}

static struct dirent *input_entry(DIR *d) {
    if (!(__ics_input("readdir", 1) & 1)) return 0;
    fill_entry(&d->input);
    return &d->input;
}

struct dirent *readdir(DIR *d) {
    if (__ics_is_symbolic_domain()) return input_entry(d);
    if (d->at >= d->size) return 0;
    struct dirent *entry = (struct dirent *)(d->entries + d->at);
    d->at += entry->d_reclen;
    return entry;
}

struct dirent64 *readdir64(DIR *d) {
    return (struct dirent64 *)readdir(d);
}

int readdir_r(DIR *d, struct dirent *to, struct dirent **result) {
    struct dirent *entry = readdir(d);
    *result = entry ? to : 0;
    if (entry) __ics_memcpy(to, entry, entry->d_reclen);
    return 0;
}

void rewinddir(DIR *d) {
    if (!__ics_is_symbolic_domain()) load(d);
}

long telldir(DIR *d) {
    return (long)d->at;
}

void seekdir(DIR *d, long at) {
    d->at = (size_t)at;
}

int dirfd(DIR *d) {
    return d->fd;
}

int closedir(DIR *d) {
    int result = close(d->fd);
    __ics_free(d->entries);
    __ics_free(d);
    return result;
}

int alphasort(const struct dirent **a, const struct dirent **b) {
    return strcoll((*a)->d_name, (*b)->d_name);
}

int alphasort64(const struct dirent64 **a, const struct dirent64 **b) {
    return strcoll((*a)->d_name, (*b)->d_name);
}

typedef int order(const struct dirent **, const struct dirent **);

/* Entries that are inputs may be anything in any order, so they are in order as they are. How often they are compared
   is an input, too, as comparing may do something else. */
static int scan_inputs(DIR *d, struct dirent ***result, int (*chosen)(const struct dirent *), order *compare) {
    size_t n = __ics_input("scandir", 24);
    struct dirent **all = ics_shared_malloc((n + 1) * sizeof *all);
    for (size_t i = 0; i < n; i++) {
        all[i] = ics_shared_malloc(sizeof **all);
        do {
            fill_entry(all[i]);
        } while (chosen && !chosen(all[i]));
    }
    closedir(d);
    if (compare) {
        static struct dirent one, other;
        const struct dirent *a = &one, *b = &other;
        fill_entry(&one);
        fill_entry(&other);
        while (__ics_input("scandir.compare", 1) & 1) compare(&a, &b);
    }
    *result = all;
    return (int)n;
}

int scandir(const char *path, struct dirent ***result, int (*chosen)(const struct dirent *), order *compare) {
    DIR *d = opendir(path);
    if (!d) return -1;
    if (__ics_is_symbolic_domain()) return scan_inputs(d, result, chosen, compare);
    struct dirent **all = 0, *entry;
    size_t n = 0, room = 0;
    while ((entry = readdir(d))) {
        if (chosen && !chosen(entry)) continue;
        if (n == room) all = ics_shared_realloc(all, (room = 2 * room + 16) * sizeof *all);
        all[n] = ics_shared_malloc(entry->d_reclen);
        __ics_memcpy(all[n++], entry, entry->d_reclen);
    }
    closedir(d);
    if (compare && n) qsort(all, n, sizeof *all, (int (*)(const void *, const void *))compare);
    *result = all ? all : ics_shared_malloc(sizeof *all);
    return (int)n;
}

int scandir64(const char *path, struct dirent64 ***result, int (*chosen)(const struct dirent64 *),
              int (*compare)(const struct dirent64 **, const struct dirent64 **)) {
    return scandir(path, (struct dirent ***)result, (int (*)(const struct dirent *))chosen, (order *)compare);
}
