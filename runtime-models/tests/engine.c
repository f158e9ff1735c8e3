/* The engine's operations for a native run of the models: the concrete domain on real memory and real descriptors, and
 * cooperative threads on top of real ones of which only the holder of the baton runs. The models' own names carry the
 * prefix m_ here, so every plain name is the C library's. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../ics.h"
#include "engine.h"

enum { MAX = 256, YIELDS = 128 };
enum state { NONE, ENABLED, WAITING, TIMED, ENDED };

static struct {
    enum state state;
    const void *queue;
    unsigned long since; /* order of arrival in its queue */
    unsigned long deadline;
    int timed_out;
    int slot;
    void *(*start)(void *);
    void *arg;
} threads[MAX] = {{.state = ENABLED}};
static int count = 1, current, yields;
static unsigned long arrivals;
static _Thread_local int me;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t baton = PTHREAD_COND_INITIALIZER;

void engine_reset(void) {
    for (int i = 1; i < count; i++)
        if (threads[i].state != ENDED) fprintf(stderr, "thread %d still there\n", i), exit(1);
    count = 1;
}

/* Hands the baton to a thread and, unless the caller has ended, waits to get it back. */
static void run(int next) {
    current = next;
    yields = 0;
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&baton);
    while (threads[me].state != ENDED && current != me) pthread_cond_wait(&baton, &lock);
    pthread_mutex_unlock(&lock);
}

static int next_enabled(void) {
    for (int i = 1; i <= count; i++)
        if (threads[(me + i) % count].state == ENABLED) return (me + i) % count;
    return -1;
}

static unsigned long clock_now;

static int runs_out_before(int a, int b) {
    if (threads[a].deadline != threads[b].deadline) return threads[a].deadline < threads[b].deadline;
    return threads[a].since < threads[b].since;
}

/* Gives the baton away because the caller cannot go on. */
static void switch_away(void) {
    int next = next_enabled();
    if (next < 0) {
        for (int i = 0; i < count; i++)
            if (threads[i].state == TIMED && (next < 0 || runs_out_before(i, next))) next = i;
        if (next < 0) {
            if (engine_deadlock) engine_deadlock();
            fprintf(stderr, "deadlock\n");
            exit(1);
        }
        threads[next].state = ENABLED;
        threads[next].timed_out = 1;
        if (clock_now < threads[next].deadline) clock_now = threads[next].deadline;
    }
    if (next != me) run(next);
}

/* Time passes while everybody waits, and a little whenever somebody looks. */
unsigned long __ics_clock(int busy) {
    return ++clock_now;
}

void (*engine_deadlock)(void);

void __ics_pause(void) {
    int next = next_enabled();
    if (next >= 0 && next != me) run(next);
}

void __ics_yield(void) {
    if (++yields >= YIELDS) __ics_pause();
}

static int wait_on(const void *queue, enum state state, unsigned long deadline) {
    threads[me].queue = queue;
    threads[me].deadline = deadline;
    threads[me].since = arrivals++;
    threads[me].timed_out = 0;
    threads[me].state = state;
    switch_away();
    return threads[me].timed_out;
}

void __ics_wait(const void *queue) {
    wait_on(queue, WAITING, 0);
}

int __ics_wait_timed(const void *queue, unsigned long deadline) {
    return wait_on(queue, TIMED, deadline);
}

void __ics_notify_one(const void *queue) {
    int first = -1;
    for (int i = 0; i < count; i++)
        if ((threads[i].state == WAITING || threads[i].state == TIMED) && threads[i].queue == queue &&
            (first < 0 || threads[i].since < threads[first].since))
            first = i;
    if (first >= 0) threads[first].state = ENABLED;
}

void __ics_notify_all(const void *queue) {
    for (int i = 0; i < count; i++)
        if ((threads[i].state == WAITING || threads[i].state == TIMED) && threads[i].queue == queue)
            threads[i].state = ENABLED;
}

int __ics_notify_thread(int slot) {
    int woken = 0;
    for (int i = 0; i < count; i++) {
        if (threads[i].state != WAITING && threads[i].state != TIMED) continue;
        if (threads[i].slot != slot) continue;
        threads[i].state = ENABLED;
        woken = 1;
    }
    return woken;
}

/* Threads only switch inside models here. */
int __ics_interrupt(int slot, void (*handler)(void)) { return 0; }
void __ics_resume(void) {}

static void *body(void *number) {
    me = (int)(intptr_t)number;
    pthread_mutex_lock(&lock);
    while (current != me) pthread_cond_wait(&baton, &lock);
    pthread_mutex_unlock(&lock);
    threads[me].start(threads[me].arg);
    return 0;
}

int __ics_thread_create(void *(*start)(void *), void *arg, int slot) {
    pthread_t thread;
    int number = count++;
    threads[number].state = ENABLED;
    threads[number].start = start;
    threads[number].arg = arg;
    threads[number].slot = slot;
    pthread_create(&thread, 0, body, (void *)(intptr_t)number);
    pthread_detach(thread);
    return number;
}

int __ics_thread_self(void) {
    return threads[me].slot;
}

void __ics_thread_exit(void) {
    threads[me].state = ENDED;
    switch_away();
    pthread_exit(0);
}

/* Annotations: only counted, so that a test can say how many events an operation makes. */
unsigned long engine_events;
void __ics_acquire(const void *lock) {}
void __ics_release(const void *lock) {}
void __ics_not_held(const void *lock) {}
void __ics_known(int what, const void *field, const void *object) {}
unsigned long __ics_handle(unsigned long handle) { return handle; }
void __ics_barrier_init(const void *barrier, unsigned n) {}
void __ics_barrier_arrive(const void *barrier) {}
void __ics_event(const void *object, int mode) { engine_events++; }
void __ics_order(const void *object, int mode) {}

void *__ics_malloc(size_t bytes, int zeroed) { return zeroed ? calloc(1, bytes) : malloc(bytes); }
void __ics_free(void *p) { free(p); }
size_t __ics_object_size(const void *p) { return malloc_usable_size((void *)p); }
size_t __ics_room(const void *p) { return 1ul << 40; }
void __ics_memcpy(void *to, const void *from, size_t n) { memcpy(to, from, n); }
void __ics_memmove(void *to, const void *from, size_t n) { memmove(to, from, n); }
void __ics_memset(void *to, int byte, size_t n) { memset(to, byte, n); }

void __ics_exit(int status) { _exit(status); }
void __ics_abort(void) { abort(); }

static void stop(const char *why) {
    fprintf(stderr, "the model gave up: %s\n", why);
    exit(1);
}

void __ics_assert_fail(const char *expression, const char *file, unsigned line, const char *function) {
    stop(expression);
}

void __ics_error(const char *message) { stop(message); }
void __ics_unsupported(const char *what) { stop(what); }

int __ics_is_symbolic_domain(void) { return 0; }
int __ics_is_exact(void) { return 1; }
unsigned __ics_may_fail(const char *name) { return 0; }
int __ics_is_symbolic(unsigned long value) { return 0; }
int __ics_is_unknown(unsigned long value) { return 0; }
int __ics_any_symbolic(const void *p, size_t n) { return 0; }
int __ics_string_symbolic(const char *s) { return 0; }
size_t __ics_string_end(const char *s, size_t room) { return strnlen(s, room); }
int __ics_has_nul(const char *s, size_t n) { return memchr(s, 0, n) != 0; }
unsigned long __ics_select(unsigned long c, unsigned long a, unsigned long b) { return c ? a : b; }
unsigned long __ics_input(const char *name, unsigned bits) { stop(name); return 0; }
unsigned long __ics_input_of_string(const char *name, const char *s, unsigned bits) { stop(name); return 0; }
void __ics_input_bytes(void *p, size_t n, const char *name) { stop(name); }
void __ics_assume(int condition) {}
int __ics_symbolic_file(const char *path) { return -1; }
long __ics_symbolic_file_size(int file) { return -1; }
void __ics_symbolic_file_read(int file, long offset, void *p, size_t n) {}

static long result(long value) { return value < 0 ? -errno : value; }
long __ics_host_write(int fd, const void *p, size_t n) { return result(write(fd, p, n)); }
long __ics_host_read(int fd, void *p, size_t n) { return result(read(fd, p, n)); }
int __ics_host_open(const char *path, int flags, int mode) { return (int)result(open(path, flags, mode)); }
int __ics_host_close(int fd) { return (int)result(close(fd)); }
long __ics_host_seek(int fd, long offset, int whence) { return result(lseek(fd, offset, whence)); }

long __ics_host_file_size(int fd) {
    struct stat s;
    return fstat(fd, &s) ? -errno : s.st_size;
}

/* The calls that the checks use. */
long __ics_host_file(int operation, int fd, const char *path, const char *other, long a, long b) {
    switch (operation) {
    case ICS_OPEN: return result(openat(fd, path, (int)a, (int)b));
    case ICS_ACCESS: return result(faccessat(fd, path, (int)a, (int)b));
    case ICS_UNLINK: return result(unlinkat(fd, path, (int)a));
    case ICS_RENAME: return result(renameat(fd, path, (int)a, other));
    case ICS_MKDIR: return result(mkdirat(fd, path, (mode_t)a));
    case ICS_LINK: return result(linkat(fd, path, (int)a, other, (int)b));
    case ICS_SYMLINK: return result(symlinkat(other, fd, path));
    case ICS_CHMOD: return result(fchmodat(fd, path, (mode_t)a, 0));
    case ICS_TRUNCATE: return result(ftruncate(fd, a));
    case ICS_GETFL: return result(fcntl(fd, F_GETFL));
    case ICS_SETFL: return result(fcntl(fd, F_SETFL, (int)a));
    case ICS_FSYNC: return result(fsync(fd));
    case ICS_FCHMOD: return result(fchmod(fd, (mode_t)a));
    default: fprintf(stderr, "file operation %d\n", operation), exit(1);
    }
}

/* A directory's entries as the engine gives them: each cut off behind its name. */
static long entries(int fd, char *to, size_t n) {
    DIR *directory = fdopendir(dup(fd));
    if (!directory) return -errno;
    rewinddir(directory);
    size_t size = 0;
    for (struct dirent *e; (e = readdir(directory)); size += e->d_reclen)
        if (size + e->d_reclen <= n) memcpy(to + size, e, e->d_reclen);
    closedir(directory);
    return (long)size;
}

long __ics_host_query(int query, int fd, const char *path, void *to, size_t n) {
    switch (query) {
    case ICS_STAT: return result(fstatat(fd, path, to, 0));
    case ICS_LSTAT: return result(fstatat(fd, path, to, AT_SYMLINK_NOFOLLOW));
    case ICS_FSTAT: return result(fstat(fd, to));
    case ICS_READLINK: return result(readlinkat(fd, path, to, n));
    case ICS_CWD: return getcwd(to, n) ? (long)strlen(to) : -errno;
    case ICS_REALPATH: return realpath(path, to) ? (long)strlen(to) : -errno;
    case ICS_ENTRIES: return entries(fd, to, n);
    default: fprintf(stderr, "file query %d\n", query), exit(1);
    }
}

long __ics_host_clock(int clock, long *t) {
    struct timespec now;
    if (clock_gettime(clock, &now)) return -errno;
    t[0] = now.tv_sec;
    t[1] = now.tv_nsec;
    return 0;
}

/* The families of heap objects are not checked natively. */
void __ics_set_family(void *p, int family) {
}

void __ics_check_family(const void *p, int family) {
}

/* Nor are jumps. */
void __ics_save_context(void *buffer) {
}

_Noreturn void __ics_restore_context(void *buffer, int value) {
    abort();
}

/* Destructors are the host's business here. */
void (*__ics_destructor(int index))(void) {
    return 0;
}
