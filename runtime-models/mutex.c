/* Mutexes (Bergan figure 2.12), laid over glibc's pthread_mutex_t so that its static initialisers work. */
#include "ics.h"

#include <errno.h>
#include <pthread.h>

#include "ics_mutex.h"
#include "ics_thread.h"

/* glibc keeps the attributes in one int: the type in the low bits, the rest above. */
#define ATTR_TYPE 0x0fff
#define ATTR_PROTOCOL_SHIFT 28
#define ATTR_PSHARED 0x80000000u
#define ATTR_ROBUST 0x40000000u

static int *attr_bits(const pthread_mutexattr_t *attr) {
    _Static_assert(sizeof(pthread_mutexattr_t) == sizeof(int), "glibc's layout");
    return (int *)attr;
}

static int invalid_kind(const struct ics_mutex *m) {
    return (unsigned)m->kind > PTHREAD_MUTEX_ADAPTIVE_NP;
}

static void take(struct ics_mutex *m) {
    m->taken = 1;
    m->owner = __ics_thread_self() + 1;
    __ics_acquire(m);
    __ics_event(m, ICS_EXCLUSIVE);
}

/* What a lock operation on a mutex that the caller may own already has to say before it can block: -1 to go on. */
static int relock(struct ics_mutex *m, int try) {
    if (m->kind == PTHREAD_MUTEX_NORMAL || m->kind == PTHREAD_MUTEX_ADAPTIVE_NP) return -1;
    if (invalid_kind(m)) return EINVAL;
    if (!m->taken || m->owner != __ics_thread_self() + 1) return -1;
    if (m->kind == PTHREAD_MUTEX_ERRORCHECK) return try ? EBUSY : EDEADLK;
    if (m->count == 0xffffffffu) return EAGAIN;
    m->count++;
    return 0;
}

void ics_mutex_take(struct ics_mutex *m) {
    while (m->taken) __ics_wait(m);
    take(m);
}

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr) {
    struct ics_mutex *m = (struct ics_mutex *)mutex;
    __ics_memset(m, 0, sizeof *m);
    if (attr) m->kind = *attr_bits(attr) & ATTR_TYPE;
    return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex) {
    struct ics_mutex *m = (struct ics_mutex *)mutex;
    if (m->taken) return EBUSY;
    m->kind = -1; /* as glibc: any later use is EINVAL */
    return 0;
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    struct ics_mutex *m = (struct ics_mutex *)mutex;
    int early = relock(m, 0);
    if (early >= 0) return early;
    ics_mutex_take(m);
    return 0;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    struct ics_mutex *m = (struct ics_mutex *)mutex;
    int early = relock(m, 1);
    if (early >= 0) return early;
    if (m->taken) {
        __ics_event(m, ICS_EXCLUSIVE);
        return EBUSY;
    }
    take(m);
    return 0;
}

static int valid_time(const struct timespec *t) {
    return t->tv_nsec >= 0 && t->tv_nsec < 1000000000;
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *abstime) {
    struct ics_mutex *m = (struct ics_mutex *)mutex;
    int early = relock(m, 0);
    if (early >= 0) return early;
    while (m->taken) {
        if (!valid_time(abstime)) return EINVAL;
        if (__ics_wait_timed(m)) {
            __ics_event(m, ICS_EXCLUSIVE);
            return ETIMEDOUT;
        }
    }
    take(m);
    return 0;
}

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *abstime) {
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
    return pthread_mutex_timedlock(mutex, abstime);
}

int ics_mutex_release(struct ics_mutex *m) {
    if (m->kind != PTHREAD_MUTEX_NORMAL && m->kind != PTHREAD_MUTEX_ADAPTIVE_NP) {
        if (invalid_kind(m)) return EINVAL;
        if (!m->taken || m->owner != __ics_thread_self() + 1) return EPERM;
        if (m->count) {
            m->count--;
            return 0;
        }
    }
    __ics_event(m, ICS_EXCLUSIVE);
    __ics_release(m);
    m->taken = 0;
    m->owner = 0;
    __ics_notify_one(m);
    return 0;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    int error = ics_mutex_release((struct ics_mutex *)mutex);
    if (error == 0) __ics_yield();
    return error;
}

int pthread_mutex_consistent(pthread_mutex_t *mutex) {
    return EINVAL; /* no owner ever dies holding one without the process ending */
}

int pthread_mutex_getprioceiling(const pthread_mutex_t *mutex, int *ceiling) {
    return EINVAL;
}

int pthread_mutex_setprioceiling(pthread_mutex_t *mutex, int ceiling, int *old) {
    return EINVAL;
}

int pthread_mutexattr_init(pthread_mutexattr_t *attr) {
    *attr_bits(attr) = 0;
    return 0;
}

int pthread_mutexattr_destroy(pthread_mutexattr_t *attr) {
    return 0;
}

int pthread_mutexattr_settype(pthread_mutexattr_t *attr, int type) {
    if ((unsigned)type > PTHREAD_MUTEX_ADAPTIVE_NP) return EINVAL;
    *attr_bits(attr) = (*attr_bits(attr) & ~ATTR_TYPE) | type;
    return 0;
}

int pthread_mutexattr_gettype(const pthread_mutexattr_t *attr, int *type) {
    *type = *attr_bits(attr) & ATTR_TYPE;
    return 0;
}

int pthread_mutexattr_setpshared(pthread_mutexattr_t *attr, int shared) {
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED) return EINVAL;
    unsigned bits = (unsigned)*attr_bits(attr) & ~ATTR_PSHARED;
    *attr_bits(attr) = (int)(shared ? bits | ATTR_PSHARED : bits);
    return 0;
}

int pthread_mutexattr_getpshared(const pthread_mutexattr_t *attr, int *shared) {
    *shared = ((unsigned)*attr_bits(attr) & ATTR_PSHARED) != 0;
    return 0;
}

int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attr, int protocol) {
    if ((unsigned)protocol > PTHREAD_PRIO_PROTECT) return EINVAL;
    *attr_bits(attr) = (*attr_bits(attr) & ~(3 << ATTR_PROTOCOL_SHIFT)) | protocol << ATTR_PROTOCOL_SHIFT;
    return 0;
}

int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *attr, int *protocol) {
    *protocol = *attr_bits(attr) >> ATTR_PROTOCOL_SHIFT & 3;
    return 0;
}

int pthread_mutexattr_setrobust(pthread_mutexattr_t *attr, int robust) {
    if (robust != PTHREAD_MUTEX_STALLED && robust != PTHREAD_MUTEX_ROBUST) return EINVAL;
    unsigned bits = (unsigned)*attr_bits(attr) & ~ATTR_ROBUST;
    *attr_bits(attr) = (int)(robust ? bits | ATTR_ROBUST : bits);
    return 0;
}

int pthread_mutexattr_getrobust(const pthread_mutexattr_t *attr, int *robust) {
    *robust = ((unsigned)*attr_bits(attr) & ATTR_ROBUST) != 0;
    return 0;
}
