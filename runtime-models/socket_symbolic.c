/* Sockets of the symbolic domain: whether a call succeeds, its errno, what arrives and from where are inputs. */
#include "ics.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>

#include "ics_socket.h"

/* "CALL.errno" */
static void errno_if(unsigned long failed, const char *call) {
    char name[48];
    size_t n = strlen(call);
    __ics_memcpy(name, call, n);
    __ics_memcpy(name + n, ".errno", 7);
    unsigned long error = __ics_input(name, 8);
    __ics_assume((error >= 1) & (error <= 133));
    errno = (int)__ics_select(failed, error, (unsigned long)errno);
}

long ics_input_result(const char *name, long least, long most) {
    long value;
    if (least == most) {
        unsigned long done = __ics_input(name, 1) & 1;
        value = (long)__ics_select(done, (unsigned long)most, (unsigned long)-1);
    } else {
        value = (long)__ics_input(name, 64);
        __ics_assume((value == -1) | ((value >= least) & (value <= most)));
    }
    errno_if(value < 0, name);
    return value;
}

long ics_input_sent(const struct ics_file *f, const char *name, size_t n, int flags) {
    int waits = !(f->flags & O_NONBLOCK) && !(flags & MSG_DONTWAIT);
    return ics_input_result(name, waits || n == 0 ? (long)n : 1, (long)n);
}

void ics_input_name_of(const struct ics_file *f, const char *input, struct sockaddr *to, socklen_t *room) {
    if (!to || !room) return;
    socklen_t size = f->domain == AF_INET    ? sizeof(struct sockaddr_in)
                     : f->domain == AF_INET6 ? sizeof(struct sockaddr_in6)
                                             : sizeof(struct sockaddr_storage);
    size_t known = offsetof(struct sockaddr, sa_data);
    if (*room >= known) {
        size_t part = ICS_MIN(size, *room);
        __ics_input_bytes((char *)to + known, part - known, input);
        to->sa_family = (sa_family_t)f->domain;
    }
    *room = size;
}
