/* Pipes between the threads of the process. Concrete domain only: the order that a pipe makes is no part of a
 * schedule. */
#include "ics.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ics_files.h"
#include "ics_socket.h"
#include "ics_thread.h"

enum { MOST = 64, CAPACITY = 65536 };

static struct pipe {
    char *ring; /* CAPACITY bytes; null if the pipe is not in use */
    size_t head, filled;
    int readers, writers;
    unsigned long changes;
} pipes[MOST];

static int fail(int error) {
    errno = error;
    return -1;
}

int pipe2(int ends[2], int flags) {
    if (__ics_is_symbolic_domain()) __ics_unsupported("pipe in the symbolic domain");
    if (flags & ~(O_CLOEXEC | O_NONBLOCK | O_DIRECT)) return fail(EINVAL);
    int number = 0;
    while (number < MOST && (pipes[number].readers || pipes[number].writers)) number++;
    if (number == MOST) return fail(ENFILE);
    int from = ics_new_file(ICS_PIPE, flags | O_RDONLY, number);
    int to = from < 0 ? -1 : ics_new_file(ICS_PIPE, flags | O_WRONLY, number);
    if (to < 0) {
        if (from >= 0) close(from);
        return fail(EMFILE);
    }
    struct pipe *p = &pipes[number];
    *p = (struct pipe){.ring = __ics_malloc(CAPACITY, 0), .readers = 1, .writers = 1};
    ends[0] = from;
    ends[1] = to;
    return 0;
}

int pipe(int ends[2]) {
    return pipe2(ends, 0);
}

static void changed(struct pipe *p) {
    p->changes++;
    __ics_notify_all(p);
    __ics_notify_all(&ics_changes);
}

unsigned long ics_pipe_changes(const struct ics_file *f) {
    return pipes[f->host].changes;
}

static int writes(const struct ics_file *f) {
    return (f->flags & O_ACCMODE) == O_WRONLY;
}

void ics_pipe_close(struct ics_file *f) {
    struct pipe *p = &pipes[f->host];
    if (writes(f)) p->writers--;
    else p->readers--;
    changed(p);
    if (p->readers || p->writers) return;
    __ics_free(p->ring);
    p->ring = 0;
}

size_t ics_pipe_filled(const struct ics_file *f) {
    return pipes[f->host].filled;
}

size_t ics_pipe_room(const struct ics_file *f) {
    return CAPACITY - pipes[f->host].filled;
}

int ics_pipe_ended(const struct ics_file *f) {
    return !(writes(f) ? pipes[f->host].readers : pipes[f->host].writers);
}

long ics_pipe_read(struct ics_file *f, void *to, size_t n) {
    struct pipe *p = &pipes[f->host];
    if (n == 0) return 0;
    while (p->filled == 0) {
        if (!p->writers) return 0;
        if (f->flags & O_NONBLOCK) return fail(EAGAIN);
        if (ics_interrupted(ics_wait_cancellable(p, ICS_FOREVER))) return fail(EINTR);
    }
    n = ICS_MIN(n, p->filled);
    size_t straight = ICS_MIN(n, CAPACITY - p->head);
    __ics_memcpy(to, p->ring + p->head, straight);
    __ics_memcpy((char *)to + straight, p->ring, n - straight);
    p->head = (p->head + n) % CAPACITY;
    p->filled -= n;
    changed(p);
    return (long)n;
}

static void append(struct pipe *p, const char *from, size_t n) {
    size_t tail = (p->head + p->filled) % CAPACITY, straight = ICS_MIN(n, CAPACITY - tail);
    __ics_memcpy(p->ring + tail, from, straight);
    __ics_memcpy(p->ring, from + straight, n - straight);
    p->filled += n;
    changed(p);
}

static long broken(void) {
    raise(SIGPIPE);
    return fail(EPIPE);
}

/* Up to PIPE_BUF bytes go in at once, more in parts. */
long ics_pipe_write(struct ics_file *f, const void *from, size_t n) {
    struct pipe *p = &pipes[f->host];
    size_t done = 0, least = n <= 4096 ? n : 1;
    while (done < n) {
        if (!p->readers) return done ? (long)done : broken();
        size_t room = CAPACITY - p->filled;
        if (room >= least) {
            size_t part = ICS_MIN(n - done, room);
            append(p, (const char *)from + done, part);
            done += part;
            continue;
        }
        if (f->flags & O_NONBLOCK) return done ? (long)done : fail(EAGAIN);
        if (ics_interrupted(ics_wait_cancellable(p, ICS_FOREVER))) return done ? (long)done : fail(EINTR);
    }
    return (long)done;
}
