/* Sockets against the kernel's: the same generated calls on sockets with local names and on pairs, one side by the
 * models, one by the library; every result, errno and byte, and what poll says of every socket after each call, have to
 * agree. Nothing waits. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine.h"

#define MODELS(X)                                                                                                      \
    X(socket) X(socketpair) X(bind) X(listen) X(accept4) X(connect) X(shutdown) X(close) X(recv) X(recvfrom) X(send)   \
    X(sendto) X(getsockopt) X(getsockname) X(getpeername) X(ioctl) X(poll) X(__errno_location)
#define DECLARE(name) MODEL(name);
MODELS(DECLARE)
int failures;

enum { SLOTS = 8, NAMES = 3, CALLS = 60000 };
static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};

static struct slot {
    int fds[2]; /* of the model and of the kernel; -1: closed */
    int name;   /* that it is bound to, or -1 */
} slots[SLOTS];

static char history[64];
static int calls;

static void note(char c) {
    history[calls++ % (sizeof history - 1)] = c;
}

#define BOTH(model, real)                                                                                              \
    ({                                                                                                                 \
        *m___errno_location() = errno = 0;                                                                             \
        long got = (long)(int)(model), wanted = (long)(int)(real);                                                     \
        CHECK((got < 0) == (wanted < 0) && (got >= 0 || *m___errno_location() == errno), "%s: %ld (%d), not %ld (%d)",   \
              #real, got, *m___errno_location(), wanted, errno);                                                       \
        got;                                                                                                           \
    })
#define SAME(model, real)                                                                                              \
    ({                                                                                                                 \
        long wanted_too;                                                                                               \
        long got_too = BOTH(model, wanted_too = (real));                                                               \
        CHECK(got_too == (int)wanted_too, "%s: %ld, not %ld", #real, got_too, wanted_too);                             \
        got_too;                                                                                                       \
    })

static struct slot *closed(void) {
    for (int i = 0; i < SLOTS; i++)
        if (slots[i].fds[0] < 0) return &slots[i];
    return 0;
}

static socklen_t name_of(int k, struct sockaddr_un *to) {
    *to = (struct sockaddr_un){.sun_family = AF_UNIX};
    sprintf(to->sun_path, "socket%d", k);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(to->sun_path) + 1);
}

static void make(void) {
    struct slot *s = closed();
    int type = types[below(3)] | SOCK_NONBLOCK;
    if (!s) return;
    note('s');
    s->fds[0] = (int)BOTH(m_socket(AF_UNIX, type, 0), s->fds[1] = socket(AF_UNIX, type, 0));
    s->name = -1;
}

static void make_pair(void) {
    struct slot *s = closed(), *t = 0;
    int type = types[below(3)] | SOCK_NONBLOCK, a[2], b[2];
    for (int i = 0; i < SLOTS; i++)
        if (slots[i].fds[0] < 0 && &slots[i] != s) t = &slots[i];
    if (!s || !t) return;
    note('p');
    BOTH(m_socketpair(AF_UNIX, type, 0, a), socketpair(AF_UNIX, type, 0, b));
    *s = (struct slot){{a[0], b[0]}, -1};
    *t = (struct slot){{a[1], b[1]}, -1};
}

static int type_of(const struct slot *s) {
    int type = 0;
    socklen_t size = sizeof type;
    getsockopt(s->fds[1], SOL_SOCKET, SO_TYPE, &type, &size);
    return type;
}

/* A name is gone with its socket; the kernel's stays as a file. */
static void end(struct slot *s) {
    struct sockaddr_un name;
    note('x');
    if (s->name >= 0) {
        name_of(s->name, &name);
        unlink(name.sun_path);
    }
    BOTH(m_close(s->fds[0]), close(s->fds[1]));
    *s = (struct slot){{-1, -1}, -1};
}

static void named(struct slot *s) {
    struct sockaddr_un name, a, b;
    int k = (int)below(NAMES);
    socklen_t size = name_of(k, &name), x = sizeof a, y = sizeof b;
    switch (below(6)) {
    case 0:
        note('b');
        if (BOTH(m_bind(s->fds[0], (struct sockaddr *)&name, size), bind(s->fds[1], (struct sockaddr *)&name, size)) == 0) s->name = k;
        break;
    case 1: note('l'); BOTH(m_listen(s->fds[0], 2), listen(s->fds[1], 2)); break;
    case 2:
    case 3:
        note('c');
        BOTH(m_connect(s->fds[0], (struct sockaddr *)&name, size), connect(s->fds[1], (struct sockaddr *)&name, size));
        break;
    case 4:
        BOTH(m_getsockname(s->fds[0], (struct sockaddr *)&a, &x), getsockname(s->fds[1], (struct sockaddr *)&b, &y));
        CHECK(x == y && memcmp(&a, &b, x) == 0, "getsockname: %u, not %u", x, y);
        break;
    default:
        if (BOTH(m_getpeername(s->fds[0], (struct sockaddr *)&a, &x), getpeername(s->fds[1], (struct sockaddr *)&b, &y)) == 0)
            CHECK(x == y && memcmp(&a, &b, x) == 0, "getpeername: %u, not %u", x, y);
    }
}

static void take(struct slot *s) {
    struct slot *t = closed();
    int real;
    if (!t) return;
    note('a');
    int got = (int)BOTH(m_accept4(s->fds[0], 0, 0, SOCK_NONBLOCK), real = accept4(s->fds[1], 0, 0, SOCK_NONBLOCK));
    if (got >= 0) *t = (struct slot){{got, real}, -1};
}

/* How many datagrams wait for one socket at most is a setting of the machine. */
static void drain(void) {
    char a[32], b[32];
    for (int i = 0; i < SLOTS; i++)
        if (slots[i].fds[0] >= 0 && type_of(&slots[i]) == SOCK_DGRAM)
            while (SAME(m_recv(slots[i].fds[0], a, 32, 0), recv(slots[i].fds[1], b, 32, 0)) >= 0 && !failures) continue;
}

static void transfer(struct slot *s) {
    static int datagrams;
    if (type_of(s) == SOCK_DGRAM && ++datagrams % 8 == 0) drain();
    char a[32] = "", b[32] = "";
    struct sockaddr_un name;
    size_t n = below(20);
    int flags = MSG_NOSIGNAL;
    if (type_of(s) == SOCK_SEQPACKET && n == 0) n = 1; /* whether an empty packet counts as unread changed */
    switch (below(5)) {
    case 0:
    case 1:
        note('w');
        for (size_t i = 0; i < n; i++) a[i] = (char)below(100);
        SAME(m_send(s->fds[0], a, n, flags), send(s->fds[1], a, n, flags));
        break;
    case 2: {
        note('t');
        socklen_t size = name_of((int)below(NAMES), &name);
        SAME(m_sendto(s->fds[0], a, n, flags, (struct sockaddr *)&name, size), sendto(s->fds[1], a, n, flags, (struct sockaddr *)&name, size));
        break;
    }
    default:
        note('r');
        flags = (below(4) ? 0 : MSG_PEEK) | (below(4) ? 0 : MSG_WAITALL);
        SAME(m_recv(s->fds[0], a, n, flags), recv(s->fds[1], b, n, flags));
        CHECK(memcmp(a, b, sizeof a) == 0, "recv: other bytes");
    }
}

static void ask(struct slot *s) {
    static const int options[] = {SO_TYPE, SO_ERROR, SO_ACCEPTCONN, SO_DOMAIN};
    int a = 0, b = 0, option = options[below(4)];
    socklen_t x = sizeof a, y = sizeof b;
    BOTH(m_getsockopt(s->fds[0], SOL_SOCKET, option, &a, &x), getsockopt(s->fds[1], SOL_SOCKET, option, &b, &y));
    CHECK(a == b && x == y, "getsockopt %d: %d, not %d", option, a, b);
}

static void compare_readiness(void) {
    const short all = POLLIN | POLLOUT | POLLRDHUP;
    for (int i = 0; i < SLOTS; i++) {
        struct pollfd a = {slots[i].fds[0], all, 0}, b = {slots[i].fds[1], all, 0};
        if (a.fd < 0) continue;
        m_poll(&a, 1, 0);
        poll(&b, 1, 0);
        CHECK(a.revents == b.revents, "poll of slot %d (type %d): %x, not %x", i, type_of(&slots[i]), a.revents, b.revents);
    }
}

int main(void) {
    for (int i = 0; i < SLOTS; i++) slots[i] = (struct slot){{-1, -1}, -1};
    for (int i = 0; i < CALLS && failures < 5; i++) {
        struct slot *s = &slots[below(SLOTS)];
        if (s->fds[0] < 0) {
            if (below(3)) make();
            else make_pair();
        } else {
            switch (below(12)) {
            case 0:
                if (below(3) == 0) end(s);
                break;
            case 1:
            case 2:
            case 3: named(s); break;
            case 4:
            case 5: take(s); break;
            case 6:
                /* Linux changed the order of errors of datagrams */
                if (below(4) == 0 && type_of(s) != SOCK_DGRAM) {
                    int how = (int)below(3);
                    note((char)('0' + how));
                    BOTH(m_shutdown(s->fds[0], how), shutdown(s->fds[1], how));
                }
                break;
            case 7: ask(s); break;
            default: transfer(s);
            }
        }
        compare_readiness();
        if (failures) fprintf(stderr, "calls before, oldest from %d: %s\n", calls % (int)(sizeof history - 1), history);
    }
    return failures != 0;
}
