/* Sockets: making, naming, connecting. In the concrete domain the network consists of this process: what one thread
 * listens on, another can connect to; addresses of other machines are unreachable. In the symbolic domain everything
 * that comes in is an input (socket_symbolic.c). */
#include "ics.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "ics_socket.h"
#include "ics_thread.h"

static struct ics_socket *all;

static int fail(int error) {
    errno = error;
    return -1;
}

int ics_socket_is_stream(const struct ics_socket *s) {
    return s->type != SOCK_DGRAM;
}

struct ics_socket *ics_socket(int fd, struct ics_file **file) {
    struct ics_file *f = ics_file(fd);
    if (file) *file = f;
    if (!f) return 0;
    if (f->kind == ICS_SOCKET) return f->object;
    errno = ENOTSOCK;
    return 0;
}

struct ics_socket *ics_new_socket(int domain, int type, int protocol) {
    struct ics_socket *s = __ics_malloc(sizeof *s, 1);
    s->domain = domain;
    s->type = type;
    s->protocol = protocol;
    s->next = all;
    all = s;
    return s;
}

void ics_socket_drop(struct ics_socket *s) {
    struct ics_socket **at = &all;
    while (*at != s) at = &(*at)->next;
    *at = s->next;
    __ics_free(s);
}

int ics_socket_file(struct ics_socket *s, int flags) {
    int opened = O_RDWR | (flags & SOCK_NONBLOCK ? O_NONBLOCK : 0) | (flags & SOCK_CLOEXEC ? O_CLOEXEC : 0);
    int fd = ics_new_file(ICS_SOCKET, opened, -1);
    if (fd >= 0) ics_file(fd)->object = s;
    return fd;
}

/* The kinds there are; an errno. */
static int refused(int domain, int type) {
    if (domain != AF_INET && domain != AF_INET6 && domain != AF_UNIX) return EAFNOSUPPORT;
    if (type == SOCK_RAW) return domain == AF_UNIX ? ESOCKTNOSUPPORT : EPERM;
    if (type != SOCK_STREAM && type != SOCK_DGRAM && (type != SOCK_SEQPACKET || domain != AF_UNIX))
        return ESOCKTNOSUPPORT;
    return 0;
}

static int symbolic_socket(int domain, int flags) {
    if (ics_input_result("socket", 0, 0) < 0) return -1;
    int fd = ics_new_file(ICS_INPUT_FILE, O_RDWR | (flags & SOCK_NONBLOCK ? O_NONBLOCK : 0), -1);
    if (fd >= 0) ics_file(fd)->domain = domain;
    return fd;
}

int socket(int domain, int type, int protocol) {
    const int flags = SOCK_NONBLOCK | SOCK_CLOEXEC;
    if (__ics_is_symbolic_domain()) return symbolic_socket(domain, type & flags);
    int error = refused(domain, type & ~flags);
    if (error) return fail(error);
    struct ics_socket *s = ics_new_socket(domain, type & ~flags, protocol);
    int fd = ics_socket_file(s, type & flags);
    if (fd < 0) ics_socket_drop(s);
    return fd;
}

int socketpair(int domain, int type, int protocol, int ends[2]) {
    const int flags = SOCK_NONBLOCK | SOCK_CLOEXEC;
    if (__ics_is_symbolic_domain()) __ics_unsupported("socketpair in the symbolic domain");
    int error = refused(domain, type & ~flags);
    if (error) return fail(error);
    if (domain != AF_UNIX) return fail(EOPNOTSUPP);
    struct ics_socket *pair[2];
    for (int i = 0; i < 2; i++) {
        pair[i] = ics_new_socket(domain, type & ~flags, protocol);
        pair[i]->state = ICS_CONNECTED;
        pair[i]->name.ss_family = pair[i]->remote.ss_family = AF_UNIX;
        pair[i]->name_size = pair[i]->remote_size = sizeof(sa_family_t);
    }
    pair[0]->peer = pair[1];
    pair[1]->peer = pair[0];
    ends[0] = ics_socket_file(pair[0], type & flags);
    ends[1] = ics_socket_file(pair[1], type & flags);
    if (ends[1] >= 0) return 0;
    if (ends[0] >= 0) close(ends[0]);
    else ics_socket_drop(pair[0]);
    ics_socket_drop(pair[1]);
    return fail(EMFILE);
}

/* --- names --- */

static in_port_t *port_of(struct sockaddr_storage *name) {
    return name->ss_family == AF_INET ? &((struct sockaddr_in *)name)->sin_port : &((struct sockaddr_in6 *)name)->sin6_port;
}

static int is_any(const struct sockaddr_storage *name) {
    static const struct in6_addr none;
    if (name->ss_family == AF_INET) return ((const struct sockaddr_in *)name)->sin_addr.s_addr == 0;
    return memcmp(&((const struct sockaddr_in6 *)name)->sin6_addr, &none, sizeof none) == 0;
}

/* An IPv6 address that stands for one of IPv4; its IPv4 address is `*v4`. */
static int is_mapped(const struct sockaddr_storage *name, unsigned *v4) {
    const struct in6_addr *a = &((const struct sockaddr_in6 *)name)->sin6_addr;
    __ics_memcpy(v4, &a->s6_addr[12], 4);
    return IN6_IS_ADDR_V4MAPPED(a);
}

static int is_local(const struct sockaddr_storage *name) {
    unsigned v4;
    if (is_any(name)) return 1;
    if (name->ss_family == AF_INET) return ntohl(((const struct sockaddr_in *)name)->sin_addr.s_addr) >> 24 == 127;
    if (is_mapped(name, &v4)) return ntohl(v4) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)name)->sin6_addr);
}

/* Whether two addresses of the internet are the same, whatever the port. */
static int same_address(const struct sockaddr_storage *a, const struct sockaddr_storage *b) {
    unsigned x, y;
    if (a->ss_family == AF_INET6 && b->ss_family == AF_INET6)
        return memcmp(&((const struct sockaddr_in6 *)a)->sin6_addr, &((const struct sockaddr_in6 *)b)->sin6_addr, 16) == 0;
    if (a->ss_family == AF_INET) x = ((const struct sockaddr_in *)a)->sin_addr.s_addr;
    else if (!is_mapped(a, &x)) return 0;
    if (b->ss_family == AF_INET) y = ((const struct sockaddr_in *)b)->sin_addr.s_addr;
    else if (!is_mapped(b, &y)) return 0;
    return x == y;
}

static int same_unix(const struct ics_socket *s, const struct sockaddr *name, socklen_t size) {
    const struct sockaddr_un *a = (const struct sockaddr_un *)&s->name, *b = (const struct sockaddr_un *)name;
    if (s->name_size <= sizeof(sa_family_t) || size <= sizeof(sa_family_t)) return 0;
    if (a->sun_path[0] && b->sun_path[0])
        return strncmp(a->sun_path, b->sun_path, size - sizeof(sa_family_t)) == 0;
    return s->name_size == size && memcmp(a, b, size) == 0;
}

int ics_socket_check(const struct ics_socket *s, const struct sockaddr *name, socklen_t size, int unreachable) {
    socklen_t least = s->domain == AF_INET ? sizeof(struct sockaddr_in) : s->domain == AF_INET6 ? 24 : sizeof(sa_family_t);
    struct sockaddr_storage copy = {0};
    if (size < least || size > sizeof copy) return EINVAL;
    if (name->sa_family != s->domain) return s->domain == AF_UNIX ? EINVAL : EAFNOSUPPORT;
    if (s->domain == AF_UNIX) return size > sizeof(struct sockaddr_un) ? EINVAL : 0;
    __ics_memcpy(&copy, name, size);
    return is_local(&copy) ? 0 : unreachable;
}

/* Whether a socket has a name that another one of the same kind may not take. */
static int conflicts(const struct ics_socket *s, const struct ics_socket *other, struct sockaddr_storage *name) {
    if (other == s || other->type != s->type || other->name_size == 0 || other->domain == AF_UNIX) return 0;
    if (other->state == ICS_CONNECTED && ics_socket_is_stream(other)) return 0;
    if (*port_of((struct sockaddr_storage *)&other->name) != *port_of(name)) return 0;
    if (s->domain != other->domain && (s->only_v6 || other->only_v6)) return 0;
    if (!same_address(&other->name, name) && !is_any(&other->name) && !is_any(name)) return 0;
    if (s->reuse_port && other->reuse_port) return 0;
    return !(s->reuse_address && other->reuse_address && other->state != ICS_LISTENING);
}

static int in_use(const struct ics_socket *s, struct sockaddr_storage *name) {
    for (const struct ics_socket *other = all; other; other = other->next)
        if (conflicts(s, other, name)) return 1;
    return 0;
}

static void take_free_port(struct ics_socket *s) {
    static unsigned short last = 40000;
    do {
        last = last == 60999 ? 40001 : (unsigned short)(last + 1);
        *port_of(&s->name) = htons(last);
    } while (in_use(s, &s->name));
}

void ics_socket_name(struct ics_socket *s) {
    if (s->name_size || s->domain == AF_UNIX) return;
    s->name.ss_family = (sa_family_t)s->domain;
    take_free_port(s);
    s->name_size = s->domain == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
}

void ics_socket_translate(int domain, struct sockaddr_storage *name, socklen_t *size) {
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    if (name->ss_family != AF_INET && name->ss_family != AF_INET6) return;
    v4.sin_port = v6.sin6_port = *port_of(name);
    int mapped = name->ss_family == AF_INET6 && is_mapped(name, &v4.sin_addr.s_addr);
    if (name->ss_family == AF_INET) v4.sin_addr = ((struct sockaddr_in *)name)->sin_addr;
    else v6.sin6_addr = ((struct sockaddr_in6 *)name)->sin6_addr;
    if (name->ss_family == AF_INET || mapped) {
        if (v4.sin_addr.s_addr == 0) v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        v6.sin6_addr = (struct in6_addr){.s6_addr[10] = 0xff, .s6_addr[11] = 0xff};
        __ics_memcpy(&v6.sin6_addr.s6_addr[12], &v4.sin_addr, 4);
    } else if (IN6_IS_ADDR_UNSPECIFIED(&v6.sin6_addr)) {
        v6.sin6_addr = in6addr_loopback;
    }
    *size = domain == AF_INET ? sizeof v4 : sizeof v6;
    if (domain == AF_INET) __ics_memcpy(name, &v4, sizeof v4);
    else __ics_memcpy(name, &v6, sizeof v6);
}

static int bind_unix(struct ics_socket *s, const struct sockaddr *name, socklen_t size) {
    if (size <= sizeof(sa_family_t)) __ics_unsupported("bind to an abstract name of the system's choice");
    for (const struct ics_socket *other = all; other; other = other->next)
        if (other->bound && other->domain == AF_UNIX && same_unix(other, name, size))
            return fail(EADDRINUSE);
    if (s->name_size > sizeof(sa_family_t)) return fail(EINVAL);
    __ics_memcpy(&s->name, name, size);
    s->name_size = size;
    s->bound = 1;
    for (struct ics_socket *other = all; other; other = other->next)
        if (other->peer == s) {
            other->remote = s->name;
            other->remote_size = size;
        }
    return 0;
}

int bind(int fd, const struct sockaddr *name, socklen_t size) {
    if (__ics_is_symbolic_domain()) return ics_file(fd) ? (int)ics_input_result("bind", 0, 0) : -1;
    struct ics_socket *s = ics_socket(fd, 0);
    if (!s) return -1;
    int error = ics_socket_check(s, name, size, EADDRNOTAVAIL);
    if (error) return fail(error);
    if (s->domain == AF_UNIX) return bind_unix(s, name, size);
    if (s->name_size) return fail(EINVAL);
    struct sockaddr_storage wanted = {0};
    __ics_memcpy(&wanted, name, size);
    if (*port_of(&wanted) && in_use(s, &wanted)) return fail(EADDRINUSE);
    s->name = wanted;
    if (!*port_of(&s->name)) take_free_port(s);
    s->name_size = s->domain == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
    return 0;
}

int listen(int fd, int backlog) {
    if (__ics_is_symbolic_domain()) return ics_file(fd) ? (int)ics_input_result("listen", 0, 0) : -1;
    struct ics_socket *s = ics_socket(fd, 0);
    if (!s) return -1;
    if (!ics_socket_is_stream(s)) return fail(EOPNOTSUPP);
    if (s->state == ICS_CONNECTED || (s->domain == AF_UNIX && s->name_size <= sizeof(sa_family_t))) return fail(EINVAL);
    ics_socket_name(s);
    s->state = ICS_LISTENING;
    s->backlog = backlog < 0 || backlog > 4096 ? 4096 : backlog;
    return 0;
}

/* How well a socket is named by what is looked for: 0 not, 2 exactly. */
static int fits(const struct ics_socket *s, const struct ics_socket *other, struct sockaddr_storage *name) {
    if (other->type != s->type || !other->name_size || other->domain == AF_UNIX) return 0;
    if (ics_socket_is_stream(s) && other->state != ICS_LISTENING) return 0;
    if (*port_of((struct sockaddr_storage *)&other->name) != *port_of(name)) return 0;
    unsigned v4;
    int to_v4 = name->ss_family == AF_INET || is_mapped(name, &v4);
    if (same_address(&other->name, name)) return 2;
    if (is_any(name)) return other->domain == name->ss_family;
    if (!is_any(&other->name)) return 0;
    return to_v4 ? other->domain == AF_INET || !other->only_v6 : other->domain == AF_INET6;
}

struct ics_socket *ics_socket_find(const struct ics_socket *s, const struct sockaddr *name, socklen_t size) {
    struct ics_socket *best = 0;
    struct sockaddr_storage copy = {0};
    __ics_memcpy(&copy, name, size);
    int exact = 0;
    for (struct ics_socket *other = all; other; other = other->next) {
        if (s->domain == AF_UNIX) {
            if (!other->bound || !same_unix(other, name, size)) continue;
            int wrong = other->type != s->type, deaf = ics_socket_is_stream(s) && other->state != ICS_LISTENING;
            errno = wrong ? EPROTOTYPE : ECONNREFUSED;
            return wrong || deaf ? 0 : other;
        }
        int how = fits(s, other, &copy);
        if (how > exact) {
            best = other;
            exact = how;
        }
    }
    int no_file = s->domain == AF_UNIX && ((const struct sockaddr_un *)name)->sun_path[0];
    if (!best) errno = no_file ? ENOENT : ECONNREFUSED;
    return best;
}

void ics_socket_lose(const struct ics_socket *partner) {
    for (struct ics_socket *s = all; s; s = s->next)
        if (s->peer == partner && !ics_socket_is_stream(s)) {
            s->peer = 0;
            s->lost = 1;
        }
}

void ics_socket_tell(const struct sockaddr_storage *name, socklen_t size, struct sockaddr *to, socklen_t *room) {
    if (!to || !room) return;
    __ics_memcpy(to, name, ICS_MIN(size, *room));
    *room = size;
}

int getsockname(int fd, struct sockaddr *to, socklen_t *room) {
    struct ics_file *f = ics_file(fd);
    if (!f) return -1;
    if (__ics_is_symbolic_domain()) {
        ics_input_name_of(f, "getsockname", to, room);
        return (int)ics_input_result("getsockname", 0, 0);
    }
    struct ics_socket *s = ics_socket(fd, 0);
    if (!s) return -1;
    socklen_t size = s->domain == AF_INET ? sizeof(struct sockaddr_in) : s->domain == AF_INET6 ? sizeof(struct sockaddr_in6) : 2;
    struct sockaddr_storage name = s->name;
    name.ss_family = (sa_family_t)s->domain;
    ics_socket_tell(&name, s->name_size ? s->name_size : size, to, room);
    return 0;
}

int getpeername(int fd, struct sockaddr *to, socklen_t *room) {
    struct ics_file *f = ics_file(fd);
    if (!f) return -1;
    if (__ics_is_symbolic_domain()) {
        ics_input_name_of(f, "getpeername", to, room);
        return (int)ics_input_result("getpeername", 0, 0);
    }
    struct ics_socket *s = ics_socket(fd, 0);
    if (!s) return -1;
    if (s->state != ICS_CONNECTED || !s->remote_size) return fail(ENOTCONN);
    ics_socket_tell(&s->remote, s->remote_size, to, room);
    return 0;
}
