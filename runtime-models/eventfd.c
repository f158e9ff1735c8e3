/* Descriptors that count: eventfd and timerfd. What an eventfd orders is no part of a schedule, so it exists in the
 * concrete domain only; when a timer has run out is an input of the symbolic domain. */
#include "ics.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "ics_socket.h"
#include "ics_thread.h"

struct event {
    unsigned long count;
    unsigned long changes;
    int semaphore;
    /* of a timer: its clock, when it runs out next (on the run's clock; 0: it is off), and how often after that */
    int clock;
    unsigned long next, interval;
};

#define MOST (~0ul - 1)
#define SECOND 1000000000ul

static int fail(int error) {
    errno = error;
    return -1;
}

static int make(enum ics_file_kind kind, int flags, struct event **made) {
    int fd = ics_new_file(kind, O_RDWR | flags, -1);
    if (fd < 0) return -1;
    *made = ics_file(fd)->object = __ics_malloc(sizeof(struct event), 1);
    return fd;
}

int eventfd(unsigned start, int flags) {
    struct event *e;
    if (__ics_is_symbolic_domain()) __ics_unsupported("eventfd in the symbolic domain");
    if (flags & ~(EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE)) return fail(EINVAL);
    int fd = make(ICS_EVENT, flags & (O_CLOEXEC | O_NONBLOCK), &e);
    if (fd < 0) return -1;
    e->count = start;
    e->semaphore = (flags & EFD_SEMAPHORE) != 0;
    return fd;
}

int eventfd_read(int fd, eventfd_t *to) {
    return read(fd, to, sizeof *to) == sizeof *to ? 0 : -1;
}

int eventfd_write(int fd, eventfd_t value) {
    return write(fd, &value, sizeof value) == sizeof value ? 0 : -1;
}

/* Adds what a timer has run out since it was last asked. */
static void run_out(struct event *e) {
    unsigned long now = e->next ? __ics_clock(0) : 0;
    if (!e->next || now < e->next) return;
    unsigned long times = e->interval ? 1 + (now - e->next) / e->interval : 1;
    e->count += times;
    e->changes++;
    e->next = e->interval ? e->next + times * e->interval : 0;
}

long ics_event_read(struct ics_file *f, void *to, size_t n) {
    struct event *e = f->object;
    if (n < sizeof e->count) return fail(EINVAL);
    for (run_out(e); e->count == 0; run_out(e)) {
        if (f->flags & O_NONBLOCK) return fail(EAGAIN);
        unsigned long deadline = f->kind == ICS_TIMER && e->next ? e->next : ICS_FOREVER;
        if (ics_interrupted(ics_wait_cancellable(&ics_changes, deadline))) return fail(EINTR);
    }
    unsigned long value = e->semaphore ? 1 : e->count;
    e->count -= value;
    __ics_memcpy(to, &value, sizeof value);
    __ics_notify_all(&ics_changes);
    return sizeof value;
}

long ics_event_write(struct ics_file *f, const void *from, size_t n) {
    struct event *e = f->object;
    unsigned long value;
    if (f->kind == ICS_TIMER || n < sizeof value) return fail(EINVAL);
    __ics_memcpy(&value, from, sizeof value);
    if (value == ~0ul) return fail(EINVAL);
    while (value > MOST - e->count) {
        if (f->flags & O_NONBLOCK) return fail(EAGAIN);
        if (ics_interrupted(ics_wait_cancellable(&ics_changes, ICS_FOREVER))) return fail(EINTR);
    }
    e->count += value;
    e->changes++;
    __ics_notify_all(&ics_changes);
    return sizeof value;
}

unsigned ics_event_ready(const struct ics_file *f) {
    struct event *e = f->object;
    run_out(e);
    unsigned ready = e->count ? POLLIN | POLLRDNORM : 0;
    if (f->kind == ICS_EVENT && e->count < MOST) ready |= POLLOUT | POLLWRNORM;
    return ready;
}

unsigned long ics_event_change_count(const struct ics_file *f) {
    struct event *e = f->object;
    run_out(e);
    return e->changes;
}

unsigned long ics_event_time(const struct ics_file *f) {
    const struct event *e = f->object;
    return e->next ? e->next : ICS_FOREVER;
}

void ics_event_close(struct ics_file *f) {
    __ics_free(f->object);
}

/* --- timers --- */

int timerfd_create(clockid_t clock, int flags) {
    struct event *e;
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME) return fail(EINVAL);
    if (flags & ~(TFD_CLOEXEC | TFD_NONBLOCK)) return fail(EINVAL);
    if (__ics_is_symbolic_domain()) return ics_new_file(ICS_INPUT_FILE, O_RDWR | flags, -1);
    int fd = make(ICS_TIMER, flags, &e);
    if (fd >= 0) e->clock = clock;
    return fd;
}

static struct event *timer_of(int fd) {
    struct ics_file *f = ics_file(fd);
    if (!f) return 0;
    if (f->kind == ICS_TIMER) return f->object;
    errno = EINVAL;
    return 0;
}

static struct timespec span(unsigned long ns) {
    return (struct timespec){(long)(ns / SECOND), (long)(ns % SECOND)};
}

static void describe(struct event *e, struct itimerspec *to) {
    run_out(e);
    to->it_interval = span(e->interval);
    to->it_value = span(e->next ? e->next - __ics_clock(0) : 0);
}

int timerfd_gettime(int fd, struct itimerspec *to) {
    if (__ics_is_symbolic_domain()) __ics_unsupported("timerfd_gettime in the symbolic domain");
    struct event *e = timer_of(fd);
    if (!e) return -1;
    describe(e, to);
    return 0;
}

int timerfd_settime(int fd, int flags, const struct itimerspec *from, struct itimerspec *old) {
    if (__ics_is_symbolic_domain()) {
        if (old) __ics_unsupported("timerfd_settime with an old value in the symbolic domain");
        return ics_file(fd) ? 0 : -1;
    }
    struct event *e = timer_of(fd);
    if (!e) return -1;
    if (!ics_valid_time(&from->it_value) || !ics_valid_time(&from->it_interval)) return fail(EINVAL);
    if (old) describe(e, old);
    int off = from->it_value.tv_sec == 0 && from->it_value.tv_nsec == 0;
    e->count = 0;
    e->interval = (unsigned long)from->it_interval.tv_sec * SECOND + (unsigned long)from->it_interval.tv_nsec;
    if (off) e->next = 0;
    else if (flags & TFD_TIMER_ABSTIME) e->next = ics_deadline(e->clock == CLOCK_BOOTTIME ? CLOCK_MONOTONIC : e->clock, &from->it_value);
    else e->next = ics_deadline_after(&from->it_value);
    __ics_notify_all(&ics_changes);
    return 0;
}
