/* Attributes of mutexes. */
#include "ics.h"

#include <errno.h>
#include <pthread.h>

#include "ics_mutex.h"

/* glibc keeps the attributes in one int: the type in the low bits, the rest above. */
#define TYPE 0x0fff
#define CEILING_SHIFT 12
#define CEILING (0xffff << CEILING_SHIFT)
#define PROTOCOL_SHIFT 28
#define PSHARED 0x80000000u
#define ROBUST 0x40000000u

static int *bits(const pthread_mutexattr_t *attr) {
    _Static_assert(sizeof(pthread_mutexattr_t) == sizeof(int), "glibc's layout");
    return (int *)attr;
}

static int ceiling_of(const pthread_mutexattr_t *attr) {
    int ceiling = (*bits(attr) & CEILING) >> CEILING_SHIFT;
    return ceiling ? ceiling : 1;
}

int ics_mutex_apply(struct ics_mutex *m, const pthread_mutexattr_t *attr) {
    unsigned b = (unsigned)*bits(attr);
    int protocol = (int)(b >> PROTOCOL_SHIFT & 3);
    m->kind = (int)(b & TYPE);
    if (protocol == PTHREAD_PRIO_INHERIT) m->kind |= ICS_MUTEX_INHERIT;
    if (protocol == PTHREAD_PRIO_PROTECT) {
        if (b & ROBUST) return ENOTSUP;
        m->kind |= ICS_MUTEX_PROTECT;
        m->ceiling = (unsigned)ceiling_of(attr);
    }
    if (b & ROBUST) m->kind |= ICS_MUTEX_ROBUST;
    return 0;
}

int pthread_mutexattr_init(pthread_mutexattr_t *attr) {
    *bits(attr) = 0;
    return 0;
}

int pthread_mutexattr_destroy(pthread_mutexattr_t *attr) {
    return 0;
}

int pthread_mutexattr_settype(pthread_mutexattr_t *attr, int type) {
    if ((unsigned)type > PTHREAD_MUTEX_ADAPTIVE_NP) return EINVAL;
    *bits(attr) = (*bits(attr) & ~TYPE) | type;
    return 0;
}

int pthread_mutexattr_gettype(const pthread_mutexattr_t *attr, int *type) {
    *type = *bits(attr) & TYPE;
    return 0;
}

/* The names of older glibc. */
int pthread_mutexattr_setkind_np(pthread_mutexattr_t *attr, int type) {
    return pthread_mutexattr_settype(attr, type);
}

int pthread_mutexattr_getkind_np(const pthread_mutexattr_t *attr, int *type) {
    return pthread_mutexattr_gettype(attr, type);
}

int pthread_mutexattr_setpshared(pthread_mutexattr_t *attr, int shared) {
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED) return EINVAL;
    unsigned b = (unsigned)*bits(attr) & ~PSHARED;
    *bits(attr) = (int)(shared ? b | PSHARED : b);
    return 0;
}

int pthread_mutexattr_getpshared(const pthread_mutexattr_t *attr, int *shared) {
    *shared = ((unsigned)*bits(attr) & PSHARED) != 0;
    return 0;
}

int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attr, int protocol) {
    if ((unsigned)protocol > PTHREAD_PRIO_PROTECT) return EINVAL;
    *bits(attr) = (*bits(attr) & ~(3 << PROTOCOL_SHIFT)) | protocol << PROTOCOL_SHIFT;
    return 0;
}

int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *attr, int *protocol) {
    *protocol = *bits(attr) >> PROTOCOL_SHIFT & 3;
    return 0;
}

int pthread_mutexattr_setprioceiling(pthread_mutexattr_t *attr, int ceiling) {
    if (ceiling < 1 || ceiling > 99) return EINVAL;
    *bits(attr) = (*bits(attr) & ~CEILING) | ceiling << CEILING_SHIFT;
    return 0;
}

int pthread_mutexattr_getprioceiling(const pthread_mutexattr_t *attr, int *ceiling) {
    *ceiling = ceiling_of(attr);
    return 0;
}

int pthread_mutexattr_setrobust(pthread_mutexattr_t *attr, int robust) {
    if (robust != PTHREAD_MUTEX_STALLED && robust != PTHREAD_MUTEX_ROBUST) return EINVAL;
    unsigned b = (unsigned)*bits(attr) & ~ROBUST;
    *bits(attr) = (int)(robust ? b | ROBUST : b);
    return 0;
}

int pthread_mutexattr_getrobust(const pthread_mutexattr_t *attr, int *robust) {
    *robust = ((unsigned)*bits(attr) & ROBUST) != 0;
    return 0;
}

/* The names of older glibc. */
int ics_setrobust_np(pthread_mutexattr_t *attr, int robust) __asm__("pthread_mutexattr_setrobust_np");
int ics_setrobust_np(pthread_mutexattr_t *attr, int robust) {
    return pthread_mutexattr_setrobust(attr, robust);
}

int ics_getrobust_np(const pthread_mutexattr_t *attr, int *robust) __asm__("pthread_mutexattr_getrobust_np");
int ics_getrobust_np(const pthread_mutexattr_t *attr, int *robust) {
    return pthread_mutexattr_getrobust(attr, robust);
}
