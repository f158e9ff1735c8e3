/* Read-write locks; readers are preferred, as by glibc's default. Readers' events are shared, writers' exclusive. */
#include "ics.h"

#include <errno.h>
#include <pthread.h>

struct ics_rwlock {
    unsigned readers;
    int writer;  /* 1 + slot of the thread that writes */
};
_Static_assert(sizeof(struct ics_rwlock) <= sizeof(pthread_rwlock_t), "fits");

static int valid_time(const struct timespec *t) {
    return t->tv_nsec >= 0 && t->tv_nsec < 1000000000;
}

static int self(void) {
    return __ics_thread_self() + 1;
}

static int read_taken(struct ics_rwlock *l) {
    l->readers++;
    __ics_acquire(l);
    __ics_event(l, ICS_SHARED);
    return 0;
}

static int write_taken(struct ics_rwlock *l) {
    l->writer = self();
    __ics_acquire(l);
    __ics_event(l, ICS_EXCLUSIVE);
    return 0;
}

int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attr) {
    __ics_memset(lock, 0, sizeof *lock);
    return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *lock) {
    return 0;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
    struct ics_rwlock *l = (struct ics_rwlock *)lock;
    if (l->writer == self()) return EDEADLK;
    while (l->writer) __ics_wait(l);
    return read_taken(l);
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) {
    struct ics_rwlock *l = (struct ics_rwlock *)lock;
    if (!l->writer) return read_taken(l);
    __ics_event(l, ICS_SHARED);
    return EBUSY;
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *abstime) {
    struct ics_rwlock *l = (struct ics_rwlock *)lock;
    if (!valid_time(abstime)) return EINVAL;
    if (l->writer == self()) return EDEADLK;
    while (l->writer) {
        if (!__ics_wait_timed(l)) continue;
        __ics_event(l, ICS_SHARED);
        return ETIMEDOUT;
    }
    return read_taken(l);
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *abstime) {
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
    return pthread_rwlock_timedrdlock(lock, abstime);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
    struct ics_rwlock *l = (struct ics_rwlock *)lock;
    if (l->writer == self()) return EDEADLK;
    while (l->writer || l->readers) __ics_wait(l);
    return write_taken(l);
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) {
    struct ics_rwlock *l = (struct ics_rwlock *)lock;
    if (!l->writer && !l->readers) return write_taken(l);
    __ics_event(l, ICS_EXCLUSIVE);
    return EBUSY;
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *abstime) {
    struct ics_rwlock *l = (struct ics_rwlock *)lock;
    if (!valid_time(abstime)) return EINVAL;
    if (l->writer == self()) return EDEADLK;
    while (l->writer || l->readers) {
        if (!__ics_wait_timed(l)) continue;
        __ics_event(l, ICS_EXCLUSIVE);
        return ETIMEDOUT;
    }
    return write_taken(l);
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *abstime) {
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
    return pthread_rwlock_timedwrlock(lock, abstime);
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
    struct ics_rwlock *l = (struct ics_rwlock *)lock;
    if (l->writer) {
        __ics_event(l, ICS_EXCLUSIVE);
        l->writer = 0;
    } else {
        if (l->readers == 0) __ics_error("pthread_rwlock_unlock of a lock that is not held");
        __ics_event(l, ICS_SHARED);
        l->readers--;
    }
    __ics_release(l);
    if (l->readers == 0) __ics_notify_all(l);
    __ics_yield();
    return 0;
}

/* glibc's attribute: the preference, then the sharing. */
int pthread_rwlockattr_init(pthread_rwlockattr_t *attr) {
    ((int *)attr)[0] = 0;
    ((int *)attr)[1] = 0;
    return 0;
}

int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attr) {
    return 0;
}

int pthread_rwlockattr_setkind_np(pthread_rwlockattr_t *attr, int kind) {
    if ((unsigned)kind > PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) return EINVAL;
    ((int *)attr)[0] = kind;
    return 0;
}

int pthread_rwlockattr_getkind_np(const pthread_rwlockattr_t *attr, int *kind) {
    *kind = ((const int *)attr)[0];
    return 0;
}

int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attr, int shared) {
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED) return EINVAL;
    ((int *)attr)[1] = shared;
    return 0;
}

int pthread_rwlockattr_getpshared(const pthread_rwlockattr_t *attr, int *shared) {
    *shared = ((const int *)attr)[1];
    return 0;
}
