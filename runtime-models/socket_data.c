/* What goes through sockets. A stream that waits takes up to ROOM bytes, so that a writer without a reader blocks. */
#include "ics.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>

#include "ics_socket.h"
#include "ics_thread.h"

enum { ROOM = 212992, LARGEST = 65507 };

static int fail(int error) {
    errno = error;
    return -1;
}

static int take_error(struct ics_socket *s) {
    int error = s->error;
    s->error = 0;
    return error;
}

/* --- receiving --- */

static void drop_first(struct ics_socket *s) {
    struct ics_message *m = s->first;
    s->first = m->next;
    if (!s->first) s->last = 0;
    __ics_free(m);
}

/* As much of a stream as there is, at most n bytes; `skip` of them are passed over. */
static size_t take_stream(struct ics_socket *s, char *to, size_t n, int peek, size_t skip) {
    size_t done = 0;
    struct ics_message *m = s->first;
    while (m && done < n) {
        size_t left = m->size - m->taken, over = ICS_MIN(skip, left), part = ICS_MIN(n - done, left - over);
        __ics_memcpy(to + done, m->bytes + m->taken + over, part);
        done += part;
        skip -= over;
        struct ics_message *next = m->next;
        if (!peek) {
            m->taken += part;
            s->queued -= part;
            if (m->taken == m->size) drop_first(s);
        }
        m = next;
    }
    if (done && !peek) {
        if (s->peer && s->queued + done >= ROOM) s->peer->changes++;
        __ics_notify_all(&ics_changes);
    }
    return done;
}

static long take_datagram(struct ics_socket *s, void *to, size_t n, int flags, struct sockaddr *from, socklen_t *size,
                          int *truncated) {
    struct ics_message *m = s->first;
    size_t part = ICS_MIN(n, m->size), whole = m->size;
    __ics_memcpy(to, m->bytes, part);
    *truncated = part < whole;
    ics_socket_tell(&m->from, m->from_size, from, size);
    if (!(flags & MSG_PEEK)) {
        s->queued -= whole;
        drop_first(s);
        __ics_notify_all(&ics_changes);
    }
    return (long)(flags & MSG_TRUNC ? whole : part);
}

/* Until something is there: 1, 0 at the end, or -1. */
static int await(struct ics_file *f, struct ics_socket *s, int flags, unsigned long deadline) {
    while (!s->first) {
        int error = take_error(s);
        if (error) return fail(error);
        int datagrams = s->domain == AF_UNIX && s->type == SOCK_DGRAM;
        if ((s->read_closed && (!datagrams || !(f->flags & O_NONBLOCK || flags & MSG_DONTWAIT))) || s->ended) return 0;
        error = ics_socket_wait(f, flags, deadline);
        if (error) return fail(error);
    }
    return 1;
}

long ics_socket_receive(struct ics_file *f, void *to, size_t n, int flags, struct sockaddr *from, socklen_t *size,
                        int *truncated) {
    struct ics_socket *s = f->object;
    unsigned long deadline = s->receive_timeout ? __ics_clock(0) + s->receive_timeout : ICS_FOREVER;
    if (flags & (MSG_OOB | MSG_ERRQUEUE)) return fail(flags & MSG_OOB ? EINVAL : EAGAIN);
    if (s->type != SOCK_DGRAM && s->state != ICS_CONNECTED)
        return fail(s->error ? take_error(s) : s->domain == AF_UNIX && s->type == SOCK_STREAM ? EINVAL : ENOTCONN);
    if (s->type != SOCK_STREAM) {
        if (s->error) return fail(take_error(s));
        int there = await(f, s, flags, deadline);
        if (there <= 0) return there;
        return take_datagram(s, to, n, flags, from, size, truncated);
    }
    if (size) *size = 0;
    size_t done = 0;
    do {
        int there = await(f, s, flags, deadline);
        if (there <= 0) return done ? (long)done : there;
        if (flags & MSG_PEEK) return (long)take_stream(s, to, n, 1, 0);
        done += n ? take_stream(s, (char *)to + done, n - done, 0, 0) : 0;
    } while (flags & MSG_WAITALL && done < n);
    return (long)done;
}

/* --- sending --- */

static void deliver(struct ics_socket *to, const struct ics_socket *from, const void *p, size_t n) {
    struct ics_message *m = __ics_malloc(sizeof *m + n, 0);
    *m = (struct ics_message){.size = n, .from = from->name, .from_size = from->name_size};
    if (from->name_size) ics_socket_translate(to->domain, &m->from, &m->from_size);
    __ics_memcpy(m->bytes, p, n);
    if (to->last) to->last->next = m;
    else to->first = m;
    to->last = m;
    to->queued += n;
    to->changes++;
    __ics_notify_all(&ics_changes);
}

static long broken(int flags) {
    if (!(flags & MSG_NOSIGNAL)) raise(SIGPIPE);
    return fail(EPIPE);
}

/* The other side has gone: over the internet the first one to notice is told by an answer. */
static long send_nowhere(struct ics_socket *s, size_t n, int flags) {
    if (s->error == EPIPE) s->error = 0;
    else if (s->error) return fail(take_error(s));
    else if (!s->write_closed) {
        s->write_closed = 1;
        s->error = EPIPE;
        return (long)n;
    }
    return broken(flags);
}

static long send_stream(struct ics_file *f, struct ics_socket *s, const char *p, size_t n, int flags) {
    unsigned long deadline = s->send_timeout ? __ics_clock(0) + s->send_timeout : ICS_FOREVER;
    if (s->state != ICS_CONNECTED) return s->domain == AF_UNIX ? fail(ENOTCONN) : broken(flags);
    size_t done = 0, least = s->type == SOCK_SEQPACKET ? n : 1;
    if (s->type == SOCK_SEQPACKET && n > ROOM) return fail(EMSGSIZE);
    if (s->type == SOCK_SEQPACKET && s->error) return fail(take_error(s));
    int deaf = s->peer && s->peer->read_closed && (n || s->type == SOCK_SEQPACKET);
    if (s->domain == AF_UNIX && (s->write_closed || deaf)) return s->type == SOCK_STREAM ? broken(flags) : fail(EPIPE);
    while (done < n || (n == 0 && least == 0)) {
        if (s->write_closed && (s->peer || s->domain == AF_UNIX)) return done ? (long)done : broken(flags);
        if (!s->peer) return done ? (long)done : send_nowhere(s, n, flags);
        size_t room = s->peer->queued < ROOM ? ROOM - s->peer->queued : 0;
        if (room >= least) {
            size_t part = ICS_MIN(n - done, room);
            deliver(s->peer, s, p + done, part);
            done += part;
            if (n == 0) break;
            continue;
        }
        int error = ics_socket_wait(f, flags, deadline);
        if (error) return done ? (long)done : fail(error);
    }
    return (long)done;
}

/* Whether a datagram socket takes what comes from another one: one that is connected only from there. */
static int listens_to(const struct ics_socket *s, const struct ics_socket *from) {
    if (s->state != ICS_CONNECTED) return 1;
    struct ics_socket *partner = ics_socket_find(s, (const struct sockaddr *)&s->remote, s->remote_size);
    return partner == from;
}

/* To a socket with a local name, or to the partner. */
static long send_local(struct ics_file *f, struct ics_socket *s, const void *p, size_t n, int flags,
                       const struct sockaddr *name, socklen_t size) {
    for (;;) {
        if (n > ROOM) return fail(EMSGSIZE);
        if (s->error) return fail(take_error(s));
        if (s->write_closed) return fail(EPIPE);
        if (!name && !s->peer && !s->lost) return fail(ENOTCONN);
        struct ics_socket *to = name ? ics_socket_find(s, name, size) : s->peer;
        if (!to && name) return -1;
        if (!to) {
            s->lost = 0;
            s->state = ICS_UNCONNECTED;
            ics_socket_part(s, 0);
            return fail(ECONNREFUSED);
        }
        if ((to->peer && to->peer != s) || to->lost) return fail(EPERM);
        if (to->read_closed) return fail(EPIPE);
        if (to->queued + n <= ROOM) {
            deliver(to, s, p, n);
            return (long)n;
        }
        int error = ics_socket_wait(f, flags, s->send_timeout ? __ics_clock(0) + s->send_timeout : ICS_FOREVER);
        if (error) return fail(error);
    }
}

/* Over the internet what nobody takes is lost; one that is connected is told so at its next call. */
static long send_datagram(struct ics_socket *s, const void *p, size_t n, int flags, const struct sockaddr *name, socklen_t size) {
    if (s->write_closed) return broken(flags);
    if (s->error) return fail(take_error(s));
    if (n > LARGEST) return fail(EMSGSIZE);
    ics_socket_name(s);
    struct ics_socket *to = ics_socket_find(s, name ? name : (const struct sockaddr *)&s->remote, name ? size : s->remote_size);
    int taken = to && listens_to(to, s);
    if (!taken && !name) s->error = ECONNREFUSED;
    if (taken && to->queued + n <= ROOM) deliver(to, s, p, n);
    return (long)n;
}

long ics_socket_send(struct ics_file *f, const void *p, size_t n, int flags, const struct sockaddr *name, socklen_t size) {
    struct ics_socket *s = f->object;
    if (flags & MSG_OOB) return fail(EOPNOTSUPP);
    if (s->type != SOCK_DGRAM) {
        if (name && s->domain == AF_UNIX && s->type == SOCK_STREAM) return fail(s->state == ICS_CONNECTED ? EISCONN : EOPNOTSUPP);
        return send_stream(f, s, p, n, flags);
    }
    if (name) {
        int error = ics_socket_check(s, name, size, ENETUNREACH);
        if (error) return fail(error);
    } else if (s->state != ICS_CONNECTED && s->domain != AF_UNIX) {
        return fail(EDESTADDRREQ);
    }
    if (s->domain == AF_UNIX) return send_local(f, s, p, n, flags, name, size);
    return send_datagram(s, p, n, flags, name, size);
}
