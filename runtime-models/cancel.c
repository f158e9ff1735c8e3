/* Cancellation: a request takes effect at the next cancellation point of the thread, or, if its type is asynchronous,
 * when the thread next leaves a model or between two of its instructions. */
#include "ics.h"

#include <errno.h>
#include <pthread.h>

#include "ics_thread.h"

/* Whether any request was ever made: keeps cancellation points free for programs that make none. It is tested where it
 * decides: nothing is known of the result of a call. */
static int requested;

int ics_cancel_pending(void) {
    if (!requested) return 0;
    struct ics_thread *t = ics_self();
    return t->cancel_pending && !t->cancel_off && !t->exiting;
}

void ics_cancellation_point(void) {
    if (!requested) return;
    if (ics_cancel_pending()) pthread_exit(PTHREAD_CANCELED);
}

enum ics_woken ics_wait_cancellable(const void *queue, unsigned long deadline) {
    ics_self()->waiting = 1;
    enum ics_woken woken = ics_wait(queue, deadline);
    ics_self()->waiting = 0;
    ics_cancellation_point();
    return woken;
}

/* What a thread runs that is interrupted by an asynchronous cancellation. */
static void cancelled_now(void) {
    ics_cancellation_point();
    __ics_resume();
}

int pthread_cancel(pthread_t thread) {
    struct ics_thread *t = ics_find_thread(thread);
    if (!t) return ESRCH;
    __ics_event(t, ICS_EXCLUSIVE);
    if (t->state == ICS_DONE || t->exiting) return 0;
    requested = 1;
    t->cancel_pending = 1;
    if (t == ics_self()) {
        if (t->cancel_async) ics_cancellation_point();
        return 0;
    }
    if ((t->waiting || t->cancel_async) && !t->cancel_off && !__ics_notify_thread((int)(t - __ics_threads)))
        if (t->cancel_async && !__ics_is_symbolic_domain()) __ics_interrupt((int)(t - __ics_threads), cancelled_now);
    ics_yield();
    return 0;
}

void pthread_testcancel(void) {
    ics_cancellation_point();
}

int pthread_setcancelstate(int state, int *old) {
    struct ics_thread *t = ics_self();
    if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) return EINVAL;
    if (old) *old = t->cancel_off ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
    t->cancel_off = state == PTHREAD_CANCEL_DISABLE;
    if (t->cancel_async) ics_cancellation_point();
    return 0;
}

int pthread_setcanceltype(int type, int *old) {
    struct ics_thread *t = ics_self();
    if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
    if (old) *old = t->cancel_async ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
    t->cancel_async = type == PTHREAD_CANCEL_ASYNCHRONOUS;
    if (t->cancel_async) ics_cancellation_point();
    return 0;
}
