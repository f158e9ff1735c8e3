/* The calls that send and receive. */
#include "ics.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ics_socket.h"
#include "ics_thread.h"

static int fail(int error) {
    errno = error;
    return -1;
}

static long receive(int fd, void *to, size_t n, int flags, struct sockaddr *from, socklen_t *size, int *truncated) {
    ics_cancellation_point();
    struct ics_file *f = ics_file(fd);
    if (!f) return -1;
    if (!__ics_is_symbolic_domain())
        return ics_socket(fd, 0) ? ics_socket_receive(f, to, n, flags, from, size, truncated) : -1;
    __ics_input_bytes(to, n, "recv.data");
    ics_input_name_of(f, "recv.address", from, size);
    return ics_input_result("recv", 0, (long)n);
}

ssize_t recvfrom(int fd, void *to, size_t n, int flags, struct sockaddr *from, socklen_t *size) {
    int truncated;
    return receive(fd, to, n, flags, from, size, &truncated);
}

ssize_t recv(int fd, void *to, size_t n, int flags) {
    return recvfrom(fd, to, n, flags, 0, 0);
}

/* _FORTIFY_SOURCE: what is too small is found by the memory checks. */
ssize_t __recv_chk(int fd, void *to, size_t n, size_t room, int flags) {
    return recv(fd, to, n, flags);
}

ssize_t __recvfrom_chk(int fd, void *to, size_t n, size_t room, int flags, struct sockaddr *from, socklen_t *size) {
    return recvfrom(fd, to, n, flags, from, size);
}

ssize_t sendto(int fd, const void *p, size_t n, int flags, const struct sockaddr *name, socklen_t size) {
    ics_cancellation_point();
    struct ics_file *f = ics_file(fd);
    if (!f) return -1;
    if (__ics_is_symbolic_domain()) return ics_input_sent(f, "send", n, flags);
    return ics_socket(fd, 0) ? ics_socket_send(f, p, n, flags, name, size) : -1;
}

ssize_t send(int fd, const void *p, size_t n, int flags) {
    return sendto(fd, p, n, flags, 0, 0);
}

static size_t total(const struct msghdr *m) {
    size_t n = 0;
    for (size_t i = 0; i < m->msg_iovlen; i++) n += m->msg_iov[i].iov_len;
    return n;
}

/* Descriptors and credentials beside the data are not passed. */
ssize_t sendmsg(int fd, const struct msghdr *m, int flags) {
    if (m->msg_controllen) __ics_unsupported("sendmsg with control data");
    size_t n = total(m), at = 0;
    char *joined = __ics_malloc(n + 1, 0);
    for (size_t i = 0; i < m->msg_iovlen; i++) {
        __ics_memcpy(joined + at, m->msg_iov[i].iov_base, m->msg_iov[i].iov_len);
        at += m->msg_iov[i].iov_len;
    }
    ssize_t sent = sendto(fd, joined, n, flags, m->msg_name, m->msg_namelen);
    __ics_free(joined);
    return sent;
}

static ssize_t symbolic_recvmsg(int fd, struct msghdr *m) {
    struct ics_file *f = ics_file(fd);
    if (!f) return -1;
    for (size_t i = 0; i < m->msg_iovlen; i++)
        __ics_input_bytes(m->msg_iov[i].iov_base, m->msg_iov[i].iov_len, "recv.data");
    ics_input_name_of(f, "recv.address", m->msg_name, m->msg_name ? &m->msg_namelen : 0);
    m->msg_flags = (int)__ics_input("recvmsg.flags", 32) & (MSG_TRUNC | MSG_CTRUNC);
    m->msg_controllen = 0;
    return ics_input_result("recv", 0, (long)total(m));
}

ssize_t recvmsg(int fd, struct msghdr *m, int flags) {
    ics_cancellation_point();
    if (__ics_is_symbolic_domain()) return symbolic_recvmsg(fd, m);
    size_t n = total(m), at = 0;
    char *joined = __ics_malloc(n + 1, 0);
    int truncated = 0;
    ssize_t count = receive(fd, joined, n, flags, m->msg_name, m->msg_name ? &m->msg_namelen : 0, &truncated);
    size_t there = count < 0 ? 0 : ICS_MIN((size_t)count, n);
    for (size_t i = 0; i < m->msg_iovlen && at < there; i++) {
        size_t part = ICS_MIN(m->msg_iov[i].iov_len, there - at);
        __ics_memcpy(m->msg_iov[i].iov_base, joined + at, part);
        at += part;
    }
    __ics_free(joined);
    if (count < 0) return -1;
    m->msg_flags = truncated ? MSG_TRUNC : 0;
    m->msg_controllen = 0;
    return count;
}

/* --- sendfile --- */

static ssize_t copy_between(int to, int from, size_t n) {
    char block[4096];
    size_t done = 0;
    while (done < n) {
        ssize_t got = read(from, block, ICS_MIN(n - done, sizeof block));
        if (got <= 0) return done || got == 0 ? (ssize_t)done : -1;
        ssize_t put = write(to, block, (size_t)got);
        if (put < 0) return done ? (ssize_t)done : -1;
        done += (size_t)put;
        if (put < got) break;
    }
    return (ssize_t)done;
}

ssize_t sendfile(int to, int from, off_t *offset, size_t n) {
    if (!ics_file(to) || !ics_file(from)) return -1;
    if (__ics_is_symbolic_domain()) {
        long sent = ics_input_result("sendfile", 0, (long)n);
        if (offset) *offset += (long)__ics_select(sent > 0, (unsigned long)sent, 0);
        return sent;
    }
    if (!offset) return copy_between(to, from, n);
    off_t before = lseek(from, 0, SEEK_CUR);
    if (before < 0 || lseek(from, *offset, SEEK_SET) < 0) return fail(EINVAL);
    ssize_t done = copy_between(to, from, n);
    if (done > 0) *offset += done;
    lseek(from, before, SEEK_SET);
    return done;
}

ssize_t sendfile64(int to, int from, off64_t *offset, size_t n) {
    return sendfile(to, from, offset, n);
}
