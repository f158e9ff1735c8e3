/* Connections: connect, accept, shutdown, the end of a socket; and what can be done at once with one. */
#include "ics.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>

#include "ics_socket.h"
#include "ics_thread.h"

static int fail(int error) {
    errno = error;
    return -1;
}

static void changed(struct ics_socket *s) {
    if (s) s->changes++;
    __ics_notify_all(&ics_changes);
}

int ics_socket_wait(const struct ics_file *f, int flags, unsigned long deadline) {
    if (f->flags & O_NONBLOCK || flags & MSG_DONTWAIT) return EAGAIN;
    switch (ics_wait_cancellable(&ics_changes, deadline)) {
    case ICS_INTERRUPTED: return EINTR;
    case ICS_TIMED_OUT: return EAGAIN;
    case ICS_NOTIFIED:
    case ICS_RESTART: return 0;
    }
    return 0;
}

/* --- connect --- */

void ics_socket_part(struct ics_socket *s, struct ics_socket *from) {
    if (s->first && from && from->peer == s) from->error = ECONNRESET;
    while (s->first) {
        struct ics_message *m = s->first;
        s->first = m->next;
        __ics_free(m);
    }
    s->last = 0;
    s->queued = 0;
}

/* The partner of a local datagram socket, which must have no other. */
static int connect_local(struct ics_socket *s, const struct sockaddr *name, socklen_t size) {
    struct ics_socket *to = ics_socket_find(s, name, size);
    if (!to) return -1;
    if ((to->peer && to->peer != s) || to->lost) return fail(EPERM);
    struct ics_socket *before = s->peer;
    int had = before || s->lost;
    s->peer = to;
    s->lost = 0;
    if (had && before != to) ics_socket_part(s, before);
    return 0;
}

static int disconnect(struct ics_socket *s) {
    struct ics_socket *before = s->peer;
    int had = before || s->lost;
    s->peer = 0;
    s->lost = 0;
    if (had) ics_socket_part(s, before);
    s->state = ICS_UNCONNECTED;
    s->remote_size = 0;
    return 0;
}

static void set_remote(struct ics_socket *s, const struct sockaddr *name, socklen_t size) {
    s->remote = (struct sockaddr_storage){0};
    __ics_memcpy(&s->remote, name, size);
    if (s->domain == AF_INET) size = sizeof(struct sockaddr_in);
    s->remote_size = size;
    s->state = ICS_CONNECTED;
}

/* The side of a new connection that accept is going to give out. */
static void meet(struct ics_socket *s, struct ics_socket *listener) {
    struct ics_socket *other = ics_new_socket(listener->domain, s->type, s->protocol);
    other->state = ICS_CONNECTED;
    other->name = s->domain == AF_UNIX ? listener->name : s->remote;
    other->name_size = s->domain == AF_UNIX ? listener->name_size : s->remote_size;
    other->remote = s->name;
    other->remote_size = s->name_size ? s->name_size : sizeof(sa_family_t);
    other->remote.ss_family = (sa_family_t)s->domain;
    ics_socket_translate(other->domain, &other->name, &other->name_size);
    ics_socket_translate(other->domain, &other->remote, &other->remote_size);
    other->reuse_address = listener->reuse_address;
    other->reuse_port = listener->reuse_port;
    other->peer = s;
    s->peer = other;
    struct ics_socket **at = &listener->waiting;
    while (*at) at = &(*at)->next_waiting;
    *at = other;
    listener->waiting_count++;
    changed(listener);
}

static int connect_stream(struct ics_file *f, struct ics_socket *s, const struct sockaddr *name, socklen_t size) {
    if (s->connecting) {
        s->connecting = 0;
        int error = s->error;
        s->error = 0;
        return error ? fail(error) : 0;
    }
    if (s->state != ICS_UNCONNECTED && s->domain != AF_UNIX) return fail(EISCONN);
    s->connecting = s->domain != AF_UNIX && f->flags & O_NONBLOCK;
    struct ics_socket *listener;
    while ((listener = ics_socket_find(s, name, size)) && listener->waiting_count > listener->backlog) {
        if (s->domain == AF_UNIX && listener->read_closed) return fail(ECONNREFUSED);
        int error = ics_socket_wait(f, 0, ICS_FOREVER);
        if (error) return fail(error);
    }
    if (!listener && !s->connecting) return -1;
    if (listener && s->domain == AF_UNIX && listener->read_closed) return fail(ECONNREFUSED);
    if (s->state != ICS_UNCONNECTED) return fail(s->state == ICS_CONNECTED ? EISCONN : EINVAL);
    if (!listener) {
        s->error = errno;
        changed(s);
        return fail(EINPROGRESS);
    }
    ics_socket_name(s);
    set_remote(s, name, size);
    ics_socket_translate(s->domain, &s->remote, &s->remote_size);
    ics_socket_translate(s->domain, &s->name, &s->name_size);
    meet(s, listener);
    changed(s);
    return s->connecting ? fail(EINPROGRESS) : 0;
}

int connect(int fd, const struct sockaddr *name, socklen_t size) {
    ics_cancellation_point();
    if (__ics_is_symbolic_domain()) return ics_file(fd) ? (int)ics_input_result("connect", 0, 0) : -1;
    struct ics_file *f;
    struct ics_socket *s = ics_socket(fd, &f);
    if (!s) return -1;
    if (size >= sizeof(sa_family_t) && name->sa_family == AF_UNSPEC && !ics_socket_is_stream(s)) return disconnect(s);
    int error = ics_socket_check(s, name, size, ENETUNREACH);
    if (error) return fail(error);
    if (ics_socket_is_stream(s)) return connect_stream(f, s, name, size);
    if (s->domain == AF_UNIX && connect_local(s, name, size) < 0) return -1;
    ics_socket_name(s);
    set_remote(s, name, size);
    ics_socket_translate(s->domain, &s->remote, &s->remote_size);
    ics_socket_translate(s->domain, &s->name, &s->name_size);
    return 0;
}

/* --- accept --- */

static int symbolic_accept(const struct ics_file *f, struct sockaddr *to, socklen_t *room, int flags) {
    int domain = f->domain;
    ics_input_name_of(f, "accept.address", to, room);
    if (ics_input_result("accept", 0, 0) < 0) return -1;
    int fd = ics_new_file(ICS_INPUT_FILE, O_RDWR | (flags & SOCK_NONBLOCK ? O_NONBLOCK : 0), -1);
    if (fd >= 0) ics_file(fd)->domain = domain;
    return fd;
}

int accept4(int fd, struct sockaddr *to, socklen_t *room, int flags) {
    ics_cancellation_point();
    struct ics_file *f = ics_file(fd);
    if (f && __ics_is_symbolic_domain()) return symbolic_accept(f, to, room, flags);
    struct ics_socket *s = ics_socket(fd, 0);
    if (!s) return -1;
    if (!ics_socket_is_stream(s)) return fail(EOPNOTSUPP);
    if (s->state != ICS_LISTENING) return fail(EINVAL);
    unsigned long deadline = s->receive_timeout ? __ics_clock(0) + s->receive_timeout : ICS_FOREVER;
    while (!s->waiting) {
        if (s->read_closed) return fail(s->domain == AF_UNIX && f->flags & O_NONBLOCK ? EAGAIN : EINVAL);
        int error = ics_socket_wait(f, 0, deadline);
        if (error) return fail(error);
    }
    struct ics_socket *taken = s->waiting;
    int new = ics_socket_file(taken, flags);
    if (new < 0) return -1;
    s->waiting = taken->next_waiting;
    s->waiting_count--;
    changed(0);
    ics_socket_tell(&taken->remote, taken->remote_size, to, room);
    return new;
}

int accept(int fd, struct sockaddr *to, socklen_t *room) {
    return accept4(fd, to, room, 0);
}

/* --- the end --- */

/* Between local sockets each side knows at once that the other one has stopped. */
static void shut_local(struct ics_socket *s, int how) {
    struct ics_socket *peer = ics_socket_is_stream(s) ? s->peer : 0;
    if (how != SHUT_WR) s->read_closed = 1;
    if (how != SHUT_RD) s->write_closed = 1;
    if (peer && how != SHUT_WR) peer->write_closed = 1;
    if (peer && how != SHUT_RD) peer->read_closed = 1;
    if (peer) peer->changes++;
}

int shutdown(int fd, int how) {
    if (__ics_is_symbolic_domain()) return ics_file(fd) ? (int)ics_input_result("shutdown", 0, 0) : -1;
    struct ics_socket *s = ics_socket(fd, 0);
    if (!s) return -1;
    if (how < SHUT_RD || how > SHUT_RDWR) return fail(EINVAL);
    if (s->domain == AF_UNIX) {
        shut_local(s, how);
        changed(s);
        return 0;
    }
    if (s->state == ICS_UNCONNECTED) return fail(ENOTCONN);
    if (how != SHUT_WR) s->read_closed = 1;
    if (how != SHUT_RD && s->state == ICS_CONNECTED) {
        s->write_closed = 1;
        if (s->peer) s->peer->ended = 1;
        if (s->peer) s->peer->changes++;
    }
    changed(s);
    return 0;
}

static void end(struct ics_socket *s) {
    while (s->waiting) {
        struct ics_socket *other = s->waiting;
        s->waiting = other->next_waiting;
        if (other->peer) other->peer->error = ECONNRESET;
        end(other);
    }
    struct ics_socket *peer = s->peer;
    if (!ics_socket_is_stream(s)) {
        s->peer = 0;
        ics_socket_lose(s);
    } else if (peer) {
        peer->peer = 0;
        peer->ended = 1;
        if (s->domain == AF_UNIX) peer->read_closed = peer->write_closed = 1;
        /* Linux passes over an empty packet. */
        if (s->first && (s->first->size || s->first->next)) peer->error = ECONNRESET;
        peer->changes++;
    }
    ics_socket_part(s, 0);
    ics_socket_drop(s);
}

void ics_socket_close(struct ics_file *f) {
    end(f->object);
    changed(0);
}

/* --- readiness --- */

enum { ROOM = 212992 };

static int can_write(const struct ics_socket *s) {
    if (!ics_socket_is_stream(s)) return 1;
    return s->state == ICS_CONNECTED && (!s->peer || s->peer->queued < ROOM);
}

static unsigned local_ready(const struct ics_socket *s) {
    unsigned ready = s->first || s->waiting ? POLLIN | POLLRDNORM : 0;
    if (s->error) ready |= POLLERR;
    if (s->read_closed) ready |= POLLIN | POLLRDNORM | POLLRDHUP;
    if (s->read_closed && s->write_closed) ready |= POLLHUP;
    if (ics_socket_is_stream(s) && s->state == ICS_UNCONNECTED) ready |= POLLHUP;
    int room = !s->peer || s->peer->queued < ROOM;
    if (s->state != ICS_LISTENING && room) ready |= POLLOUT | POLLWRNORM | POLLWRBAND;
    return ready;
}

unsigned ics_socket_ready(const struct ics_socket *s) {
    unsigned ready = 0;
    if (s->domain == AF_UNIX) return local_ready(s);
    if (s->state == ICS_LISTENING) return s->waiting ? POLLIN | POLLRDNORM : s->read_closed ? POLLIN | POLLHUP : 0;
    int ended = s->ended || s->read_closed;
    if (s->first || s->error || (ended && ics_socket_is_stream(s))) ready |= POLLIN | POLLRDNORM;
    if (ended && ics_socket_is_stream(s)) ready |= POLLRDHUP;
    if (s->error) ready |= POLLERR | POLLOUT | POLLWRNORM;
    if (can_write(s) || s->write_closed) ready |= POLLOUT | POLLWRNORM | POLLWRBAND;
    if (ics_socket_is_stream(s) && s->state == ICS_UNCONNECTED) ready |= POLLOUT | POLLWRNORM | POLLHUP;
    if (s->ended && s->write_closed && ics_socket_is_stream(s)) ready |= POLLHUP;
    return ready;
}
