/* Cancellation as far as it is synchronous: a request takes effect at the next cancellation point of the thread.
 * Cleanup handlers that pthread_exit or a cancellation would have to run need a non-local jump back into their
 * function, which there is not; that ends the path as unsupported. */
#include "ics.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

#include "ics_thread.h"

/* Whether any request was ever made: keeps cancellation points free for programs that make none. */
static int requested;
static _Thread_local unsigned handlers;

int ics_cancel_pending(void) {
    if (!requested) return 0;
    struct ics_thread *t = ics_self();
    return t->cancel_pending && !t->cancel_off && !t->exiting;
}

void ics_cancellation_point(void) {
    if (ics_cancel_pending()) pthread_exit(PTHREAD_CANCELED);
}

void ics_wait_cancellable(const void *queue) {
    ics_self()->waiting = 1;
    __ics_wait(queue);
    ics_self()->waiting = 0;
    ics_cancellation_point();
}

int ics_wait_timed_cancellable(const void *queue) {
    ics_self()->waiting = 1;
    int timed_out = __ics_wait_timed(queue);
    ics_self()->waiting = 0;
    ics_cancellation_point();
    return timed_out;
}

void ics_check_no_cleanup(void) {
    if (handlers) __ics_unsupported("the thread ends inside pthread_cleanup_push");
}

int pthread_cancel(pthread_t thread) {
    struct ics_thread *t = ics_find_thread(thread);
    if (!t) return ESRCH;
    __ics_event(t, ICS_EXCLUSIVE);
    if (t->state == ICS_DONE) return 0;
    requested = 1;
    t->cancel_pending = 1;
    if (t->waiting && !t->cancel_off) __ics_notify_thread((int)(thread - 1));
    __ics_yield();
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

/* What pthread_cleanup_push and pop expand to in C. */
int __sigsetjmp(struct __jmp_buf_tag buffer[1], int save_mask) {
    return 0;
}

void __pthread_register_cancel(__pthread_unwind_buf_t *buffer) {
    handlers++;
}

void __pthread_unregister_cancel(__pthread_unwind_buf_t *buffer) {
    handlers--;
}

_Noreturn void __pthread_unwind_next(__pthread_unwind_buf_t *buffer) {
    __ics_unsupported("__pthread_unwind_next");
}

int _setjmp(struct __jmp_buf_tag buffer[1]) {
    return 0;
}

#undef setjmp
int setjmp(jmp_buf buffer) {
    return 0;
}

_Noreturn void longjmp(struct __jmp_buf_tag buffer[1], int value) {
    __ics_unsupported("longjmp");
}

_Noreturn void _longjmp(struct __jmp_buf_tag buffer[1], int value) {
    __ics_unsupported("_longjmp");
}

_Noreturn void siglongjmp(sigjmp_buf buffer, int value) {
    __ics_unsupported("siglongjmp");
}

int pthread_kill(pthread_t thread, int signal) {
    if (!ics_find_thread(thread)) return ESRCH;
    if (signal < 0 || signal >= NSIG) return EINVAL;
    if (signal != 0) __ics_unsupported("pthread_kill with a signal");
    return 0;
}
