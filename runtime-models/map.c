/* Memory maps. A map is a heap object of whole pages. Of a file it holds a copy; what was written to a shared one goes
 * back to the file at msync, munmap and the end of the process. Protection is checked for its arguments only. */
#include "ics.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ics_files.h"

enum { PAGE = 4096 };

static struct map {
    struct map *next;
    char *base;
    size_t length;   /* as asked for */
    size_t size;     /* whole pages */
    size_t unmapped; /* bytes of it that munmap gave back in parts */
    int fd;          /* of a shared map that can be written: a descriptor of its own; else -1 */
    off_t offset;
} *maps;

static void *failed(int error) {
    errno = error;
    return MAP_FAILED;
}

static size_t whole(size_t n) {
    return (n + PAGE - 1) & ~(size_t)(PAGE - 1);
}

/* The map that an address lies in. */
static struct map *find(const char *p) {
    for (struct map *m = maps; m; m = m->next)
        if (p == m->base || (size_t)(p - m->base) < m->size) return m;
    return 0;
}

static int fill(char *to, size_t n, int fd, off_t offset) {
    size_t done = 0;
    while (done < n) {
        ssize_t count = pread(fd, to + done, n - done, offset + (off_t)done);
        if (count < 0) return errno;
        if (count == 0) break;
        done += (size_t)count;
    }
    return 0;
}

/* The bytes of a file that is an input are inputs. */
static int load(char *to, size_t n, int fd, off_t offset) {
    struct ics_file *f = ics_file(fd);
    if (!f) return EBADF;
    if (f->kind != ICS_HOST_FILE && f->kind != ICS_SYMBOLIC_FILE && f->kind != ICS_INPUT_FILE) return ENODEV;
    if (f->kind != ICS_INPUT_FILE) return fill(to, n, fd, offset);
    __ics_input_bytes(to, n, "mmap.data");
    return 0;
}

/* Writes a part of a shared map back, as far as the file goes. */
static void store(struct map *m, size_t from, size_t n) {
    struct ics_file *f = m->fd < 0 ? 0 : ics_file(m->fd);
    if (!f || !ics_is_of_host(f)) return;
    long size = __ics_host_file_size(f->host) - m->offset;
    if (size <= (long)from) return;
    /* writing to a file that is open for appending would append */
    long flags = __ics_host_file(ICS_GETFL, f->host, "", "", 0, 0);
    __ics_host_file(ICS_SETFL, f->host, "", "", flags & ~O_APPEND, 0);
    (void)!pwrite(m->fd, m->base + from, ICS_MIN(n, (size_t)size - from), m->offset + (off_t)from);
    __ics_host_file(ICS_SETFL, f->host, "", "", flags, 0);
}

static void store_all(void) {
    for (struct map *m = maps; m; m = m->next) store(m, 0, m->size);
}

static int writable(int fd) {
    struct ics_file *f = ics_file(fd);
    return f && (f->flags == -1 || (f->flags & O_ACCMODE) == O_RDWR);
}

/* MAP_FIXED: over a part of a map there already is. */
static void *over(char *at, size_t n, int flags, int fd, off_t offset) {
    struct map *m = find(at);
    if (!m || at + n > m->base + m->size || (fd >= 0 && flags & MAP_SHARED))
        __ics_unsupported("mmap at a fixed address");
    __ics_memset(at, 0, n);
    int error = flags & MAP_ANONYMOUS ? 0 : load(at, n, fd, offset);
    return error ? failed(error) : at;
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
    int kind = flags & MAP_TYPE, anonymous = flags & MAP_ANONYMOUS;
    if (size == 0 || (kind != MAP_SHARED && kind != MAP_PRIVATE && kind != MAP_SHARED_VALIDATE) || offset % PAGE)
        return failed(EINVAL);
    size_t n = whole(size);
    if (n < size) return failed(ENOMEM);
    if (!anonymous && !ics_file(fd)) return MAP_FAILED;
    int shared = !anonymous && kind != MAP_PRIVATE && protection & PROT_WRITE;
    if (shared && !writable(fd)) return failed(EACCES);
    if (flags & MAP_FIXED) return over(at, n, flags, fd, offset);
    char *base = __ics_malloc(n, 1);
    struct map *m = base ? malloc(sizeof *m) : 0;
    int error = !m ? ENOMEM : anonymous ? 0 : load(base, size, fd, offset);
    if (error) {
        __ics_free(base);
        free(m);
        return failed(error);
    }
    static int registered;
    if (shared && !registered) registered = atexit(store_all) == 0;
    *m = (struct map){.next = maps, .base = base, .length = size, .size = n, .fd = shared ? dup(fd) : -1, .offset = offset};
    maps = m;
    return base;
}

void *mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
    return mmap(at, size, protection, flags, fd, offset);
}

static void release(struct map *m) {
    struct map **p = &maps;
    while (*p != m) p = &(*p)->next;
    *p = m->next;
    if (m->fd >= 0) close(m->fd);
    __ics_free(m->base);
    free(m);
}

/* Memory goes when all of a map is unmapped; until then a part that was is still there. */
int munmap(void *at, size_t size) {
    size_t n = whole(size);
    struct map *m = find(at);
    if (size == 0 || n == 0 || (uintptr_t)at % PAGE) {
        errno = EINVAL;
        return -1;
    }
    if (!m) return 0;
    if (m->base == at && m->length == size) {
        /* Most are unmapped as they were mapped: that is seen where nobody knows how long they are. */
        store(m, 0, m->size);
        release(m);
        return 0;
    }
    size_t from = (size_t)((char *)at - m->base), part = ICS_MIN(n, m->size - from);
    store(m, from, part);
    m->unmapped += part;
    if (m->unmapped >= m->size) release(m);
    return 0;
}

/* Whether all of a range is mapped; else ENOMEM. */
static int mapped(const char *at, size_t size, int error_of_alignment) {
    struct map *m = find(at);
    if ((uintptr_t)at % PAGE) errno = error_of_alignment;
    else if (size && (!m || at + size > m->base + m->size)) errno = ENOMEM;
    else return 0;
    return -1;
}

int msync(void *at, size_t size, int flags) {
    if (flags & ~(MS_ASYNC | MS_SYNC | MS_INVALIDATE) || (flags & MS_ASYNC && flags & MS_SYNC)) {
        errno = EINVAL;
        return -1;
    }
    if (mapped(at, size, EINVAL)) return -1;
    struct map *m = find(at);
    if (m) store(m, (size_t)((char *)at - m->base), size);
    return 0;
}

/* Also of memory that is not a map: guard pages and the like inside of the heap. */
int mprotect(void *at, size_t size, int protection) {
    if (protection & ~(PROT_READ | PROT_WRITE | PROT_EXEC | PROT_GROWSDOWN | PROT_GROWSUP) || (uintptr_t)at % PAGE) {
        errno = EINVAL;
        return -1;
    }
    return 0;
}

int madvise(void *at, size_t size, int advice) {
    if (advice == MADV_DONTNEED && find(at) && !mapped(at, size, EINVAL)) {
        struct map *m = find(at);
        if (m->fd < 0) __ics_memset(at, 0, whole(size));
    }
    return 0;
}

int posix_madvise(void *at, size_t size, int advice) {
    return 0;
}

int mlock(const void *at, size_t size) {
    return 0;
}

int munlock(const void *at, size_t size) {
    return 0;
}

int mlockall(int flags) {
    return 0;
}

int munlockall(void) {
    return 0;
}

void *mremap(void *at, size_t old, size_t size, int flags, ...) {
    struct map *m = find(at);
    if (flags & MREMAP_FIXED) __ics_unsupported("mremap to a fixed address");
    if (!m || size == 0) return failed(m ? EINVAL : EFAULT);
    if (m->base != at || whole(old) != m->size) __ics_unsupported("mremap of a part of a map");
    if (whole(size) <= m->size) {
        m->length = size;
        return at;
    }
    if (!(flags & MREMAP_MAYMOVE)) return failed(ENOMEM);
    char *base = __ics_malloc(whole(size), 1);
    if (!base) return failed(ENOMEM);
    if (m->fd >= 0) {
        store(m, 0, m->size);
        fill(base, whole(size), m->fd, m->offset);
    } else {
        __ics_memcpy(base, m->base, m->size);
    }
    __ics_free(m->base);
    m->base = base;
    m->length = size;
    m->size = whole(size);
    return base;
}
