/* Read-write locks; readers are preferred, as by glibc's default, unless the lock prefers writers. Readers' events are
 * shared, writers' exclusive. */
#include "ics.h"

#include <errno.h>
#include <pthread.h>

#include "ics_thread.h"

/* `flags` is where glibc's static initialisers put the preference. */
struct ics_rwlock {
    unsigned readers;
    unsigned waiting_writers;
    struct ics_thread *writer; /* the thread that writes, if one does */
    int writing;
    unsigned unused[7];
    unsigned flags;
};
_Static_assert(sizeof(struct ics_rwlock) <= sizeof(pthread_rwlock_t), "fits");
_Static_assert(offsetof(struct ics_rwlock, flags) == offsetof(struct __pthread_rwlock_arch_t, __flags), "glibc's layout");

/* Whether a reader has to wait. */
static int closed_to_readers(const struct ics_rwlock *l) {
    if (l->writing) return 1;
    return l->flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP && l->waiting_writers && l->readers;
}

static void known(const struct ics_rwlock *l) {
    __ics_known(ICS_ZERO_UNLESS_HELD, &l->readers, l);
    __ics_known(ICS_ZERO_UNLESS_HELD, &l->writing, l);
}

static int read_taken(struct ics_rwlock *l) {
    l->readers++;
    __ics_acquire(l);
    __ics_event(l, ICS_SHARED);
    return 0;
}

static int write_taken(struct ics_rwlock *l) {
    l->writing = 1;
    l->writer = ics_self();
    ics_owns();
    __ics_acquire(l);
    __ics_event(l, ICS_EXCLUSIVE);
    return 0;
}

int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attr) {
    __ics_memset(lock, 0, sizeof *lock);
    if (attr) ((struct ics_rwlock *)lock)->flags = (unsigned)*(const int *)attr;
    return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *lock) {
    return 0;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
    struct ics_rwlock *l = (struct ics_rwlock *)lock;
    known(l);
    if (l->writing && l->writer == ics_self()) return EDEADLK;
    while (closed_to_readers(l)) ics_wait(l, ICS_FOREVER);
    return read_taken(l);
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) {
    struct ics_rwlock *l = (struct ics_rwlock *)lock;
    known(l);
    if (!closed_to_readers(l)) return read_taken(l);
    __ics_event(l, ICS_SHARED);
    return EBUSY;
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *abstime) {
    struct ics_rwlock *l = (struct ics_rwlock *)lock;
    known(l);
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
    if (!ics_valid_time(abstime)) return EINVAL;
    if (l->writing && l->writer == ics_self()) return EDEADLK;
    while (closed_to_readers(l)) {
        if (ics_wait(l, ics_deadline(clock, abstime)) != ICS_TIMED_OUT) continue;
        __ics_event(l, ICS_SHARED);
        return ETIMEDOUT;
    }
    return read_taken(l);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *abstime) {
    return pthread_rwlock_clockrdlock(lock, CLOCK_REALTIME, abstime);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
    struct ics_rwlock *l = (struct ics_rwlock *)lock;
    known(l);
    if (l->writing && l->writer == ics_self()) return EDEADLK;
    l->waiting_writers++;
    while (l->writing || l->readers) ics_wait(l, ICS_FOREVER);
    l->waiting_writers--;
    return write_taken(l);
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) {
    struct ics_rwlock *l = (struct ics_rwlock *)lock;
    known(l);
    if (!l->writing && !l->readers) return write_taken(l);
    __ics_event(l, ICS_EXCLUSIVE);
    return EBUSY;
}

/* A writer that gives up no longer keeps readers out. */
static int not_written(struct ics_rwlock *l) {
    __ics_event(l, ICS_EXCLUSIVE);
    if (l->waiting_writers == 0) __ics_notify_all(l);
    return ETIMEDOUT;
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *abstime) {
    struct ics_rwlock *l = (struct ics_rwlock *)lock;
    known(l);
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
    if (!ics_valid_time(abstime)) return EINVAL;
    if (l->writing && l->writer == ics_self()) return EDEADLK;
    int timed_out = 0;
    l->waiting_writers++;
    while (!timed_out && (l->writing || l->readers))
        timed_out = ics_wait(l, ics_deadline(clock, abstime)) == ICS_TIMED_OUT;
    l->waiting_writers--;
    return timed_out ? not_written(l) : write_taken(l);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *abstime) {
    return pthread_rwlock_clockwrlock(lock, CLOCK_REALTIME, abstime);
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
    struct ics_rwlock *l = (struct ics_rwlock *)lock;
    if (l->writing) {
        __ics_event(l, ICS_EXCLUSIVE);
        l->writing = 0;
        l->writer = 0;
        ics_owns_no_more();
    } else {
        if (l->readers == 0) __ics_error("pthread_rwlock_unlock of a lock that is not held");
        __ics_event(l, ICS_SHARED);
        l->readers--;
    }
    __ics_release(l);
    if (l->readers == 0) __ics_notify_all(l);
    ics_yield();
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
