/* Barriers. All but the last arrival are shared events, the last one (whose result differs) is exclusive, and every
 * departure is shared again: so arrivals are not ordered among each other, nor are departures, but each departure is
 * ordered after every arrival. An early arrival of the next round is not ordered against a late departure. */
#include "ics.h"

#include <errno.h>
#include <pthread.h>

#include "ics_thread.h"

struct ics_barrier {
    unsigned count;
    unsigned arrived;
    unsigned round;
};
_Static_assert(sizeof(struct ics_barrier) <= sizeof(pthread_barrier_t), "fits");

int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr, unsigned count) {
    struct ics_barrier *b = (struct ics_barrier *)barrier;
    if (count == 0 || count >= 0x7fffffffu) return EINVAL;
    b->count = count;
    b->arrived = 0;
    b->round = 0;
    __ics_barrier_init(b, count);
    return 0;
}

int pthread_barrier_destroy(pthread_barrier_t *barrier) {
    return 0;
}

int pthread_barrier_wait(pthread_barrier_t *barrier) {
    struct ics_barrier *b = (struct ics_barrier *)barrier;
    __ics_known(ICS_EXPECTED, &b->count, b);
    __ics_known(ICS_COUNTS_WAITERS, &b->arrived, b);
    if (b->count == 0) __ics_error("pthread_barrier_wait on a barrier that is not initialised");
    __ics_barrier_arrive(b);
    if (b->arrived + 1 == b->count) {
        __ics_event(b, ICS_EXCLUSIVE);
        b->arrived = 0;
        b->round++;
        __ics_notify_all(b);
        ics_yield();
        return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    b->arrived++;
    __ics_event(b, ICS_SHARED);
    for (unsigned round = b->round; b->round == round;) ics_wait(b, ICS_FOREVER);
    __ics_event(b, ICS_SHARED);
    return 0;
}

int pthread_barrierattr_init(pthread_barrierattr_t *attr) {
    *(int *)attr = 0;
    return 0;
}

int pthread_barrierattr_destroy(pthread_barrierattr_t *attr) {
    return 0;
}

int pthread_barrierattr_setpshared(pthread_barrierattr_t *attr, int shared) {
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED) return EINVAL;
    *(int *)attr = shared;
    return 0;
}

int pthread_barrierattr_getpshared(const pthread_barrierattr_t *attr, int *shared) {
    *shared = *(const int *)attr;
    return 0;
}
