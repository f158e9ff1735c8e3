/* Waiting for descriptors: poll and select. In the symbolic domain which of them are ready is an input. */
#include "ics.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/select.h>

#include "ics_socket.h"
#include "ics_thread.h"

char ics_changes;

static int fail(int error) {
    errno = error;
    return -1;
}

/* --- what is ready --- */

static unsigned pipe_ready(const struct ics_file *f) {
    if ((f->flags & O_ACCMODE) == O_WRONLY)
        return (ics_pipe_room(f) >= 4096 ? POLLOUT | POLLWRNORM : 0) | (ics_pipe_ended(f) ? POLLERR : 0);
    return (ics_pipe_filled(f) ? POLLIN | POLLRDNORM : 0) | (ics_pipe_ended(f) ? POLLHUP : 0);
}

unsigned ics_ready(struct ics_file *f) {
    switch (f->kind) {
    case ICS_PIPE: return pipe_ready(f);
    case ICS_SOCKET: return ics_socket_ready(f->object);
    case ICS_EVENT:
    case ICS_TIMER: return ics_event_ready(f);
    case ICS_EPOLL: return ics_epoll_ready(f);
    case ICS_HOST_FILE:
    case ICS_SYMBOLIC_FILE:
    case ICS_INPUT_FILE: return POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM;
    case ICS_STANDARD:
    case ICS_CLOSED: break;
    }
    return POLLNVAL;
}

unsigned long ics_change_count(const struct ics_file *f) {
    if (f->kind == ICS_SOCKET) return ((const struct ics_socket *)f->object)->changes;
    if (f->kind == ICS_PIPE) return ics_pipe_changes(f);
    if (f->kind == ICS_EVENT || f->kind == ICS_TIMER) return ics_event_change_count(f);
    return 0;
}

unsigned long ics_ready_time(const struct ics_file *f) {
    if (f->kind == ICS_TIMER) return ics_event_time(f);
    return f->kind == ICS_EPOLL ? ics_epoll_time(f) : ICS_FOREVER;
}

/* --- poll --- */

static int scan(struct pollfd *p, nfds_t n) {
    int count = 0;
    for (nfds_t i = 0; i < n; i++) {
        p[i].revents = 0;
        if (p[i].fd < 0) continue;
        int saved = errno;
        struct ics_file *f = ics_file(p[i].fd);
        errno = saved;
        unsigned ready = f ? ics_ready(f) : POLLNVAL;
        p[i].revents = (short)(ready & ((unsigned)p[i].events | POLLERR | POLLHUP | POLLNVAL));
        count += p[i].revents != 0;
    }
    return count;
}

/* The earliest time at which one becomes ready by the time alone, or the deadline. */
static unsigned long next_time(const struct pollfd *p, nfds_t n, unsigned long deadline) {
    for (nfds_t i = 0; i < n; i++) {
        struct ics_file *f = p[i].fd >= 0 ? ics_file(p[i].fd) : 0;
        if (f) deadline = ICS_MIN(deadline, ics_ready_time(f));
    }
    return deadline;
}

/* Until one is ready: how many; 0 at the deadline (null: never), -1 with EINTR. */
static int wait_for(struct pollfd *p, nfds_t n, const struct timespec *timeout) {
    unsigned long deadline = timeout ? ics_deadline_after(timeout) : ICS_FOREVER;
    int at_once = timeout && timeout->tv_sec == 0 && timeout->tv_nsec == 0;
    for (;;) {
        int count = scan(p, n);
        if (count) return count;
        if (at_once) {
            ics_yield();
            return scan(p, n);
        }
        switch (ics_wait_cancellable(&ics_changes, next_time(p, n, deadline))) {
        case ICS_INTERRUPTED:
        case ICS_RESTART: return fail(EINTR);
        case ICS_TIMED_OUT:
            if (timeout && __ics_clock(0) >= deadline) return scan(p, n);
            break;
        case ICS_NOTIFIED: break;
        }
    }
}

/* A wait that finds nothing ends by its deadline only. */
static int symbolic_result(const char *call, unsigned long count, int ends) {
    unsigned long failed = (ics_input_result(call, 0, 0) < 0) & 1;
    __ics_assume(failed | (count > 0) | (ends != 0));
    return (int)__ics_select(failed, (unsigned long)-1, count);
}

static int symbolic_poll(struct pollfd *p, nfds_t n, const struct timespec *timeout) {
    unsigned long count = 0;
    __ics_pause();
    for (nfds_t i = 0; i < n; i++) {
        p[i].revents = 0;
        if (p[i].fd < 0) continue;
        unsigned long possible = (unsigned short)p[i].events | POLLERR | POLLHUP;
        p[i].revents = (short)(__ics_input("poll.revents", 16) & possible);
        count += (p[i].revents != 0) & 1;
    }
    if (n == 0) return timeout ? 0 : symbolic_result("poll", 0, 0);
    return symbolic_result("poll", count, timeout != 0);
}

static int poll_for(struct pollfd *p, nfds_t n, const struct timespec *timeout) {
    ics_cancellation_point();
    if (__ics_is_symbolic_domain()) return symbolic_poll(p, n, timeout);
    return n > ICS_MAX_FILES ? fail(EINVAL) : wait_for(p, n, timeout);
}

int poll(struct pollfd *p, nfds_t n, int timeout) {
    /* Which side of zero a symbolic one is on decides only whether it can end. */
    if (__ics_is_symbolic((unsigned long)timeout)) {
        static const struct timespec some = {1, 0};
        return poll_for(p, n, &some);
    }
    struct timespec t = {timeout / 1000, timeout % 1000 * 1000000l};
    return poll_for(p, n, timeout < 0 ? 0 : &t);
}

int __poll_chk(struct pollfd *p, nfds_t n, int timeout, size_t room) {
    return poll(p, n, timeout);
}

int ppoll(struct pollfd *p, nfds_t n, const struct timespec *timeout, const sigset_t *mask) {
    sigset_t before;
    if (!__ics_is_symbolic_domain() && timeout && !ics_valid_time(timeout)) return fail(EINVAL);
    if (mask) sigprocmask(SIG_SETMASK, mask, &before);
    int count = poll_for(p, n, timeout);
    int error = errno;
    if (mask) sigprocmask(SIG_SETMASK, &before, 0);
    errno = error;
    return count;
}

int __ppoll_chk(struct pollfd *p, nfds_t n, const struct timespec *timeout, const sigset_t *mask, size_t room) {
    return ppoll(p, n, timeout, mask);
}

/* --- select --- */

enum { READ_BITS = POLLIN | POLLHUP | POLLERR, WRITE_BITS = POLLOUT | POLLERR };

static unsigned long *word(fd_set *set, int fd) {
    return (unsigned long *)&set->fds_bits[fd / 64];
}

static int has(fd_set *set, int fd) {
    return set && *word(set, fd) >> fd % 64 & 1;
}

/* The sets as an array for poll; how many. */
static int gather(int n, fd_set *const sets[3], struct pollfd *to) {
    int count = 0;
    for (int fd = 0; fd < n; fd++) {
        int events = (has(sets[0], fd) ? POLLIN : 0) | (has(sets[1], fd) ? POLLOUT : 0) | (has(sets[2], fd) ? POLLPRI : 0);
        if (!events) continue;
        if (!ics_file(fd)) return -1;
        to[count++] = (struct pollfd){fd, (short)events, 0};
    }
    return count;
}

static int keep(fd_set *set, const struct pollfd *p, int event, int ready) {
    if (!(p->events & event)) return 0;
    unsigned long bit = 1ul << p->fd % 64;
    if (p->revents & ready) return 1;
    *word(set, p->fd) &= ~bit;
    return 0;
}

static int select_concrete(int n, fd_set *const sets[3], const struct timespec *timeout) {
    struct pollfd *p = __ics_malloc(((size_t)n + 1) * sizeof *p, 1);
    int count = gather(n, sets, p), found = 0;
    if (count >= 0) found = wait_for(p, (nfds_t)count, timeout);
    if (count >= 0 && found >= 0) {
        found = 0;
        for (int i = 0; i < count; i++) {
            found += keep(sets[0], &p[i], POLLIN, READ_BITS);
            found += keep(sets[1], &p[i], POLLOUT, WRITE_BITS);
            found += keep(sets[2], &p[i], POLLPRI, POLLPRI);
        }
    }
    __ics_free(p);
    return count < 0 ? -1 : found;
}

/* Each descriptor of a set stays in it or not. */
static unsigned long symbolic_set(int n, fd_set *set) {
    unsigned long count = 0;
    for (int fd = 0; set && fd < n; fd++) {
        unsigned long *w = word(set, fd), was = *w >> fd % 64 & 1;
        if (!__ics_is_symbolic(was) && !was) continue;
        unsigned long stays = was & __ics_input("select.ready", 1);
        *w = (*w & ~(1ul << fd % 64)) | stays << fd % 64;
        count += stays;
    }
    return count;
}

static int select_symbolic(int n, fd_set *const sets[3], int ends) {
    unsigned long count = 0;
    __ics_pause();
    if (!sets[0] && !sets[1] && !sets[2] && ends) return 0;
    for (int i = 0; i < 3; i++) count += symbolic_set(n, sets[i]);
    return symbolic_result("select", count, ends);
}

static int select_for(int n, fd_set *const sets[3], const struct timespec *timeout) {
    ics_cancellation_point();
    if (__ics_is_symbolic_domain()) return select_symbolic(n, sets, timeout != 0);
    if (n < 0 || n > ICS_MAX_FILES || (timeout && (timeout->tv_sec < 0 || !ics_valid_time(timeout)))) return fail(EINVAL);
    return select_concrete(n, sets, timeout);
}

/* As on Linux, the timeout becomes the time that is left. */
int select(int n, fd_set *readable, fd_set *writable, fd_set *special, struct timeval *timeout) {
    fd_set *const sets[3] = {readable, writable, special};
    struct timespec t = {0, 0};
    if (timeout && !__ics_is_symbolic_domain()) {
        if (timeout->tv_sec < 0 || timeout->tv_usec < 0) return fail(EINVAL);
        t = (struct timespec){timeout->tv_sec + timeout->tv_usec / 1000000, timeout->tv_usec % 1000000 * 1000};
    }
    unsigned long end = ics_deadline_after(&t);
    int count = select_for(n, sets, timeout ? &t : 0);
    if (timeout && !__ics_is_symbolic_domain()) {
        unsigned long now = __ics_clock(0), left = end > now ? (end - now) / 1000 : 0;
        *timeout = (struct timeval){(long)(left / 1000000), (long)(left % 1000000)};
    }
    return count;
}

int pselect(int n, fd_set *readable, fd_set *writable, fd_set *special, const struct timespec *timeout,
            const sigset_t *mask) {
    fd_set *const sets[3] = {readable, writable, special};
    sigset_t before;
    if (mask) sigprocmask(SIG_SETMASK, mask, &before);
    int count = select_for(n, sets, timeout);
    int error = errno;
    if (mask) sigprocmask(SIG_SETMASK, &before, 0);
    errno = error;
    return count;
}

/* What FD_SET becomes with _FORTIFY_SOURCE: the word of a descriptor. */
long __fdelt_chk(long fd) {
    if (!__ics_is_symbolic((unsigned long)fd) && (fd < 0 || fd >= FD_SETSIZE))
        __ics_error("FD_SET of a descriptor that no fd_set has room for");
    return fd / 64;
}
