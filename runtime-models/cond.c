/* Condition variables. A signal without a waiter is lost: nothing but the wait queue remembers it. */
#include "ics.h"

#include <errno.h>
#include <pthread.h>

#include "ics_mutex.h"
#include "ics_thread.h"

/* What the models keep in a condition variable: the clock of its timed waits, and who is inside. */
struct ics_cond {
    int clock;
    unsigned waiters;
};
_Static_assert(sizeof(struct ics_cond) <= sizeof(pthread_cond_t), "fits");

/* Waits on the condition variable until notified, timed out or cancelled; handlers of signals run meanwhile. */
static int blocked_on(pthread_cond_t *cond, unsigned long deadline) {
    int timed_out = 0;
    struct ics_cond *c = (struct ics_cond *)cond;
    c->waiters++;
    while (!ics_cancel_pending()) {
        ics_self()->waiting = 1;
        enum ics_woken woken = ics_wait(cond, deadline);
        ics_self()->waiting = 0;
        timed_out = woken == ICS_TIMED_OUT;
        if (woken == ICS_NOTIFIED || timed_out) break;
    }
    c->waiters--;
    __ics_notify_all(&c->waiters); /* who destroys it looks whether they are all gone */
    return timed_out;
}

/* Releases the mutex and starts waiting, as one step; the event is the start of the wait. As in glibc, a recursive
 * mutex that is locked twice is not released by this. */
static int wait_on(pthread_cond_t *cond, struct ics_mutex *m, unsigned long deadline) {
    int type = ICS_MUTEX_KIND(m) & ICS_MUTEX_TYPE;
    int keeps = type == PTHREAD_MUTEX_RECURSIVE && m->count > 0;
    if (type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK)
        if (!m->taken || m->owner != ics_self()) return EPERM;
    int error = 0;
    int timed_out;
    __ics_event(cond, ICS_EXCLUSIVE);
    /* Two calls, so that it shows on the stack of a waiting thread whether it holds the mutex. */
    if (keeps) {
        timed_out = blocked_on(cond, deadline);
        __ics_event(cond, ICS_EXCLUSIVE);
    } else {
        __ics_order(m, ICS_EXCLUSIVE);
        ics_mutex_free(m);
        timed_out = blocked_on(cond, deadline);
        error = ics_mutex_take(m);
        __ics_order(cond, ICS_EXCLUSIVE);
    }
    ics_cancellation_point();
    return error ? error : timed_out ? ETIMEDOUT : 0;
}

int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr) {
    __ics_memset(cond, 0, sizeof *cond);
    if (attr) ((struct ics_cond *)cond)->clock = *(const int *)attr >> 1 & 1;
    return 0;
}

/* As glibc's, it waits until those that were woken have left. */
int pthread_cond_destroy(pthread_cond_t *cond) {
    struct ics_cond *c = (struct ics_cond *)cond;
    while (c->waiters && !__ics_is_symbolic_domain()) ics_wait(&c->waiters, ICS_FOREVER);
    return 0;
}

int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex) {
    return wait_on(cond, (struct ics_mutex *)mutex, ICS_FOREVER);
}

int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *abstime) {
    return pthread_cond_clockwait(cond, mutex, ((struct ics_cond *)cond)->clock, abstime);
}

int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *abstime) {
    if (!ics_valid_time(abstime)) return EINVAL;
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
    return wait_on(cond, (struct ics_mutex *)mutex, ics_deadline(clock, abstime));
}

int pthread_cond_signal(pthread_cond_t *cond) {
    __ics_event(cond, ICS_EXCLUSIVE);
    __ics_notify_one(cond);
    ics_yield();
    return 0;
}

int pthread_cond_broadcast(pthread_cond_t *cond) {
    __ics_event(cond, ICS_EXCLUSIVE);
    __ics_notify_all(cond);
    ics_yield();
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
