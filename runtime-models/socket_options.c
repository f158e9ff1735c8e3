/* Options of sockets: those that decide what other calls do have effect, the others are remembered. */
#include "ics.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/time.h>

#include "ics_socket.h"

enum { KNOWN = 64 };

static int fail(int error) {
    errno = error;
    return -1;
}

/* --- setsockopt --- */

static int set_timeout(unsigned long *to, const void *value, socklen_t size) {
    struct timeval t;
    if (size < sizeof t) return fail(EINVAL);
    __ics_memcpy(&t, value, sizeof t);
    if (t.tv_usec < 0 || t.tv_usec >= 1000000) return fail(EDOM);
    *to = t.tv_sec < 0 ? 1 : (unsigned long)t.tv_sec * 1000000000 + (unsigned long)t.tv_usec * 1000;
    return 0;
}

static int set_of_socket(struct ics_socket *s, int name, const void *value, socklen_t size) {
    int number;
    switch (name) {
    case SO_RCVTIMEO: return set_timeout(&s->receive_timeout, value, size);
    case SO_SNDTIMEO: return set_timeout(&s->send_timeout, value, size);
    case SO_LINGER:
        if (size < sizeof(struct linger)) return fail(EINVAL);
        break;
    case SO_TYPE:
    case SO_ERROR:
    case SO_DOMAIN:
    case SO_PROTOCOL:
    case SO_ACCEPTCONN: return fail(ENOPROTOOPT);
    case SO_BINDTODEVICE: return fail(EPERM);
    default: break;
    }
    if (name <= 0 || name >= KNOWN) return fail(ENOPROTOOPT);
    if (size < sizeof number) return fail(EINVAL);
    __ics_memcpy(&number, value, sizeof number);
    if (name == SO_REUSEADDR) s->reuse_address = number != 0;
    if (name == SO_REUSEPORT) s->reuse_port = number != 0;
    s->options[name] = number;
    return 0;
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t size) {
    if (__ics_is_symbolic_domain()) return ics_file(fd) ? (int)ics_input_result("setsockopt", 0, 0) : -1;
    struct ics_socket *s = ics_socket(fd, 0);
    if (!s) return -1;
    if (level == SOL_SOCKET) return set_of_socket(s, name, value, size);
    if (s->domain == AF_UNIX) return fail(EOPNOTSUPP);
    if (level == IPPROTO_IPV6 && s->domain != AF_INET6) return fail(ENOPROTOOPT);
    if (level == IPPROTO_TCP && s->type != SOCK_STREAM) return fail(ENOPROTOOPT);
    if (level == IPPROTO_IPV6 && name == IPV6_V6ONLY && size >= sizeof(int)) s->only_v6 = *(const int *)value != 0;
    if (level == IPPROTO_TCP && name == TCP_NODELAY && size >= sizeof(int)) s->options[0] = *(const int *)value != 0;
    return 0;
}

/* --- getsockopt --- */

static int tell(const void *from, socklen_t size, void *to, socklen_t *room) {
    if (*room > size) *room = size;
    __ics_memcpy(to, from, *room);
    return 0;
}

static int tell_timeout(unsigned long ns, void *to, socklen_t *room) {
    struct timeval t = {(long)(ns / 1000000000), (long)(ns % 1000000000 / 1000)};
    return tell(&t, sizeof t, to, room);
}

/* Linux doubles the sizes of buffers that are asked for. */
static int buffer_size(int set) {
    return set == 0 ? 212992 : set < 1152 ? 2304 : set > 212992 ? 425984 : 2 * set;
}

static int number_of(struct ics_socket *s, int name) {
    int error;
    switch (name) {
    case SO_TYPE: return s->type;
    case SO_DOMAIN: return s->domain;
    case SO_PROTOCOL:
        if (s->protocol || s->domain == AF_UNIX) return s->protocol;
        return s->type == SOCK_STREAM ? IPPROTO_TCP : IPPROTO_UDP;
    case SO_ACCEPTCONN: return s->state == ICS_LISTENING;
    case SO_SNDBUF:
    case SO_RCVBUF: return buffer_size(s->options[name]);
    case SO_ERROR:
        error = s->error;
        s->error = 0;
        return error;
    case SO_REUSEADDR:
    case SO_REUSEPORT:
    case SO_KEEPALIVE:
    case SO_BROADCAST:
    case SO_OOBINLINE: return s->options[name] != 0;
    default: return s->options[name];
    }
}

static int get_other(struct ics_socket *s, int level, int name, void *to, socklen_t *room) {
    int number = 0;
    if (level == IPPROTO_TCP && name == TCP_NODELAY) number = s->options[0];
    else if (level == IPPROTO_TCP && name == TCP_MAXSEG) number = 536;
    else if (level == IPPROTO_IPV6 && name == IPV6_V6ONLY) number = s->only_v6;
    else __ics_unsupported("getsockopt of this option");
    return tell(&number, sizeof number, to, room);
}

int getsockopt(int fd, int level, int name, void *to, socklen_t *room) {
    if (__ics_is_symbolic_domain()) {
        if (!ics_file(fd)) return -1;
        __ics_input_bytes(to, *room, "getsockopt.value");
        return (int)ics_input_result("getsockopt", 0, 0);
    }
    struct ics_socket *s = ics_socket(fd, 0);
    if (!s) return -1;
    if (level != SOL_SOCKET) return get_other(s, level, name, to, room);
    if (name == SO_RCVTIMEO || name == SO_SNDTIMEO)
        return tell_timeout(name == SO_RCVTIMEO ? s->receive_timeout : s->send_timeout, to, room);
    if (name <= 0 || name >= KNOWN) return fail(ENOPROTOOPT);
    if (name == SO_LINGER || name == SO_PEERCRED) __ics_unsupported("getsockopt of this option");
    int number = number_of(s, name);
    return tell(&number, sizeof number, to, room);
}
