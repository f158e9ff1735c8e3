/* epoll: sets of descriptors, with edges, single shots, and sets in sets. In the symbolic domain which entries a wait
 * returns is an input. */
#include "ics.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>

#include "ics_socket.h"
#include "ics_thread.h"

struct entry {
    struct entry *next;
    struct ics_file *file;
    int fd;
    unsigned events;      /* what is asked for */
    int disabled;         /* EPOLLONESHOT has been reported */
    unsigned long seen;   /* EPOLLET: 1 + the changes when it was last reported */
    epoll_data_t data;
};

struct set {
    struct set *next;     /* of all */
    struct entry *entries;
};

static struct set *all;
/* Whether there ever was one: keeps closing free for programs that make none. */
static int used;

static int fail(int error) {
    errno = error;
    return -1;
}

int epoll_create1(int flags) {
    if (flags & ~EPOLL_CLOEXEC) return fail(EINVAL);
    int fd = ics_new_file(ICS_EPOLL, O_RDWR | flags, -1);
    if (fd < 0) return -1;
    used = 1;
    struct set *s = __ics_malloc(sizeof *s, 1);
    s->next = all;
    all = s;
    ics_file(fd)->object = s;
    return fd;
}

int epoll_create(int size) {
    return size > 0 ? epoll_create1(0) : fail(EINVAL);
}

static void forget_entry(struct entry **at) {
    struct entry *e = *at;
    *at = e->next;
    __ics_free(e);
}

void ics_epoll_close(struct ics_file *f) {
    /* Without a set no file is one, even where nobody knows what file it is. */
    if (!used) return;
    struct set *s = f->object, **at = &all;
    while (s->entries) forget_entry(&s->entries);
    while (*at != s) at = &(*at)->next;
    *at = s->next;
    __ics_free(s);
}

void ics_epoll_forget(const struct ics_file *f) {
    if (!used) return;
    for (struct set *s = all; s; s = s->next)
        for (struct entry **at = &s->entries; *at;)
            if ((*at)->file == f) forget_entry(at);
            else at = &(*at)->next;
}

/* --- what is in it --- */

static struct set *set_of(int fd) {
    struct ics_file *f = ics_file(fd);
    if (!f) return 0;
    if (f->kind == ICS_EPOLL) return f->object;
    errno = EINVAL;
    return 0;
}

static int add(struct set *s, struct entry **end, int fd, const struct epoll_event *event) {
    struct ics_file *f = ics_file(fd);
    if (ics_is_of_host(f) && fd > 2) return fail(EPERM);
    if (f->object == s) return fail(EINVAL);
    struct entry *e = __ics_malloc(sizeof *e, 1);
    *e = (struct entry){.file = f, .fd = fd, .events = event->events, .data = event->data};
    *end = e;
    return 0;
}

int epoll_ctl(int set, int operation, int fd, struct epoll_event *event) {
    struct ics_file *f = ics_file(fd);
    struct set *s = f ? set_of(set) : 0;
    if (!s) return -1;
    struct entry **at = &s->entries;
    while (*at && ((*at)->fd != fd || (*at)->file != f)) at = &(*at)->next;
    struct entry *e = *at;
    switch (operation) {
    case EPOLL_CTL_ADD:
        if (e) return fail(EEXIST);
        if (add(s, at, fd, event) < 0) return -1;
        break;
    case EPOLL_CTL_MOD:
        if (!e) return fail(ENOENT);
        e->events = event->events;
        e->data = event->data;
        e->disabled = 0;
        e->seen = 0;
        break;
    case EPOLL_CTL_DEL:
        if (!e) return fail(ENOENT);
        forget_entry(at);
        break;
    default: return fail(EINVAL);
    }
    __ics_notify_all(&ics_changes);
    return 0;
}

/* --- waiting --- */

static unsigned ready_events(const struct entry *e) {
    if (e->disabled) return 0;
    if (e->events & EPOLLET && e->seen == 1 + ics_change_count(e->file)) return 0;
    return ics_ready(e->file) & (e->events | EPOLLERR | EPOLLHUP);
}

unsigned ics_epoll_ready(const struct ics_file *f) {
    const struct set *s = f->object;
    for (const struct entry *e = s->entries; e; e = e->next)
        if (ready_events(e)) return EPOLLIN | EPOLLRDNORM;
    return 0;
}

unsigned long ics_epoll_time(const struct ics_file *f) {
    const struct set *s = f->object;
    unsigned long first = ICS_FOREVER;
    for (const struct entry *e = s->entries; e; e = e->next) first = ICS_MIN(first, ics_ready_time(e->file));
    return first;
}

/* What is reported goes to the end, so that none is starved. */
static int collect(struct set *s, struct epoll_event *to, int most) {
    int count = 0;
    struct entry **at = &s->entries, *reported = 0, **last = &reported;
    while (*at && count < most) {
        struct entry *e = *at;
        unsigned events = ready_events(e);
        if (!events) {
            at = &e->next;
            continue;
        }
        e->seen = 1 + ics_change_count(e->file);
        e->disabled = (e->events & EPOLLONESHOT) != 0;
        to[count].events = events;
        to[count++].data = e->data;
        *at = e->next;
        e->next = 0;
        *last = e;
        last = &e->next;
    }
    while (*at) at = &(*at)->next;
    *at = reported;
    return count;
}

/* Some entries, any of those that there are. */
static int symbolic_wait(const struct set *s, struct epoll_event *to, int most, int timeout) {
    unsigned long entries = 0;
    for (const struct entry *e = s->entries; e; e = e->next) entries++;
    __ics_pause();
    int room = (int)ICS_MIN(entries, (unsigned long)most);
    for (int i = 0; i < room; i++) {
        unsigned long which = __ics_input("epoll_wait.entry", 32), n = 0;
        __ics_assume(which < entries);
        unsigned long events = s->entries->events, data = s->entries->data.u64;
        for (const struct entry *e = s->entries; e; e = e->next, n++) {
            events = __ics_select(which == n, e->events, events);
            data = __ics_select(which == n, e->data.u64, data);
        }
        to[i].data.u64 = data;
        to[i].events = (unsigned)(__ics_input("epoll_wait.events", 32) & (events | EPOLLERR | EPOLLHUP));
    }
    if (room == 0 && timeout >= 0) return 0;
    return (int)ics_input_result("epoll_wait", timeout < 0, room ? room : 1);
}

int epoll_wait(int set, struct epoll_event *to, int most, int timeout) {
    ics_cancellation_point();
    struct set *s = set_of(set);
    if (!s) return -1;
    if (most <= 0) return fail(EINVAL);
    if (__ics_is_symbolic_domain()) return symbolic_wait(s, to, most, timeout);
    struct timespec t = {timeout / 1000, timeout % 1000 * 1000000l};
    unsigned long deadline = timeout < 0 ? ICS_FOREVER : ics_deadline_after(&t);
    struct ics_file *f = ics_file(set);
    for (;;) {
        int count = collect(s, to, most);
        if (count) return count;
        if (timeout == 0) {
            ics_yield();
            return collect(s, to, most);
        }
        switch (ics_wait_cancellable(&ics_changes, ICS_MIN(deadline, ics_epoll_time(f)))) {
        case ICS_INTERRUPTED:
        case ICS_RESTART: return fail(EINTR);
        case ICS_TIMED_OUT:
            if (timeout > 0 && __ics_clock(0) >= deadline) return collect(s, to, most);
            break;
        case ICS_NOTIFIED: break;
        }
    }
}

int epoll_pwait(int set, struct epoll_event *to, int most, int timeout, const sigset_t *mask) {
    sigset_t before;
    if (mask) sigprocmask(SIG_SETMASK, mask, &before);
    int count = epoll_wait(set, to, most, timeout);
    int error = errno;
    if (mask) sigprocmask(SIG_SETMASK, &before, 0);
    errno = error;
    return count;
}
