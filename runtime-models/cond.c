/* Condition variables. A signal without a waiter is lost: nothing but the wait queue remembers it. */
#include "ics.h"

#include <errno.h>
#include <pthread.h>

#include "ics_mutex.h"
#include "ics_thread.h"

static int valid_time(const struct timespec *t) {
    return t->tv_nsec >= 0 && t->tv_nsec < 1000000000;
}

/* Releases the mutex and starts waiting, as one step; the event is the start of the wait. As in glibc, a recursive
 * mutex that is locked twice is not released by this. */
static int wait_on(pthread_cond_t *cond, struct ics_mutex *m, int timed) {
    int keeps = m->kind == PTHREAD_MUTEX_RECURSIVE && m->count > 0;
    if (m->kind == PTHREAD_MUTEX_RECURSIVE || m->kind == PTHREAD_MUTEX_ERRORCHECK)
        if (!m->taken || m->owner != __ics_thread_self() + 1) return EPERM;
    __ics_event(cond, ICS_EXCLUSIVE);
    if (!keeps) {
        __ics_order(m, ICS_EXCLUSIVE);
        __ics_release(m);
        m->taken = 0;
        m->owner = 0;
        __ics_notify_one(m);
    }
    int timed_out = 0;
    if (!ics_cancel_pending()) {
        ics_self()->waiting = 1;
        if (timed) timed_out = __ics_wait_timed(cond);
        else __ics_wait(cond);
        ics_self()->waiting = 0;
    }
    if (keeps) {
        __ics_event(cond, ICS_EXCLUSIVE);
    } else {
        ics_mutex_take(m);
        __ics_order(cond, ICS_EXCLUSIVE);
    }
    ics_cancellation_point();
    return timed_out ? ETIMEDOUT : 0;
}

int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr) {
    __ics_memset(cond, 0, sizeof *cond);
    return 0;
}

int pthread_cond_destroy(pthread_cond_t *cond) {
    return 0;
}

int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex) {
    return wait_on(cond, (struct ics_mutex *)mutex, 0);
}

int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *abstime) {
    if (!valid_time(abstime)) return EINVAL;
    return wait_on(cond, (struct ics_mutex *)mutex, 1);
}

int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *abstime) {
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
    return pthread_cond_timedwait(cond, mutex, abstime);
}

int pthread_cond_signal(pthread_cond_t *cond) {
    __ics_event(cond, ICS_EXCLUSIVE);
    __ics_notify_one(cond);
    __ics_yield();
    return 0;
}

int pthread_cond_broadcast(pthread_cond_t *cond) {
    __ics_event(cond, ICS_EXCLUSIVE);
    __ics_notify_all(cond);
    __ics_yield();
    return 0;
}

/* glibc's attribute: bit 0 process-shared, bit 1 the clock. */
int pthread_condattr_init(pthread_condattr_t *attr) {
    *(int *)attr = 0;
    return 0;
}

int pthread_condattr_destroy(pthread_condattr_t *attr) {
    return 0;
}

int pthread_condattr_setclock(pthread_condattr_t *attr, clockid_t clock) {
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
    *(int *)attr = (*(int *)attr & 1) | clock << 1;
    return 0;
}

int pthread_condattr_getclock(const pthread_condattr_t *attr, clockid_t *clock) {
    *clock = *(const int *)attr >> 1 & 1;
    return 0;
}

int pthread_condattr_setpshared(pthread_condattr_t *attr, int shared) {
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED) return EINVAL;
    *(int *)attr = (*(int *)attr & ~1) | shared;
    return 0;
}

int pthread_condattr_getpshared(const pthread_condattr_t *attr, int *shared) {
    *shared = *(const int *)attr & 1;
    return 0;
}
