/* Threads: create, join, detach, exit. A handle is the address of the control block, so it is the same whatever the
 * other threads do as long as the program creates its threads from one; the lowest free slot is used next. Being an
 * address, it is followed like any other pointer, and is no number that means another thread when slots are others. */
#include "ics.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "ics_thread.h"

struct ics_thread __ics_threads[ICS_MAX_THREADS + 1] = {{.state = ICS_RUNNING}};
unsigned ics_concurrent;
static unsigned running = 1;

struct ics_thread *ics_find_thread(unsigned long handle) {
    unsigned long offset = __ics_handle(handle) - (unsigned long)__ics_threads;
    if (offset % sizeof *__ics_threads || offset / sizeof *__ics_threads >= ICS_MAX_THREADS) return 0;
    struct ics_thread *t = &__ics_threads[offset / sizeof *__ics_threads];
    return ics_is_gone(t) ? 0 : t;
}

void ics_owns(void) {
    ics_self()->owned++;
}

void ics_owns_no_more(void) {
    struct ics_thread *t = ics_self();
    if (t->owned) t->owned--;
}

/* Nobody can ask for it any more. */
static void gone(struct ics_thread *t) {
    t->state = t->owned ? ICS_OWNER_GONE : ICS_FREE;
}

static void *__ics_thread_main(void *block) {
    struct ics_thread *t = block;
    void *result = t->c11 ? (void *)(intptr_t)((int (*)(void *))t->start)(t->arg) : t->start(t->arg);
    pthread_exit(result);
}

int ics_start_thread(unsigned long *handle, const pthread_attr_t *attr, void *(*start)(void *), void *arg, int c11) {
    int slot = 0;
    while (slot < ICS_MAX_THREADS && __ics_threads[slot].state != ICS_FREE) slot++;
    if (slot == ICS_MAX_THREADS) return EAGAIN;
    struct ics_thread *t = &__ics_threads[slot];
    __ics_memset(t, 0, sizeof *t);
    t->state = ICS_RUNNING;
    t->c11 = c11;
    t->start = start;
    t->arg = arg;
    ics_apply_attributes(t, attr, ics_self());
    ics_inherit_signals(t);
    running++;
    ics_concurrent++;
    *handle = (unsigned long)t;
    __ics_event(t, ICS_EXCLUSIVE);
    __ics_thread_create(__ics_thread_main, t, slot);
    ics_yield();
    return 0;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg) {
    return ics_start_thread(thread, attr, start, arg, 0);
}

_Noreturn void ics_end_thread(void) {
    struct ics_thread *t = ics_self();
    ics_run_cleanups();
    if (t->once) ics_abandon_onces(t);
    ics_run_key_destructors();
    if (t->robust) ics_abandon_mutexes(t);
    if (ics_sections) ics_leave_sections();
    __ics_event(t, ICS_EXCLUSIVE);
    if (t->detached) gone(t);
    else t->state = ICS_DONE;
    if (t->pending) ics_pass_signals_on(t);
    __ics_notify_all(t);
    __ics_known(ICS_COUNTS_THREADS, &running, 0);
    if (--running == 0) exit(0);
    __ics_thread_exit();
}

_Noreturn void pthread_exit(void *result) {
    struct ics_thread *t = ics_self();
    t->exiting = 1;
    t->result = result;
    ics_end_thread();
}

static void joined(struct ics_thread *t, void **result) {
    __ics_event(t, ICS_EXCLUSIVE);
    if (result) *result = t->result;
    gone(t);
    __ics_known(ICS_COUNTS_OTHERS, &ics_concurrent, 0);
    if (ics_concurrent && t != &__ics_threads[0]) ics_concurrent--;
}

/*
 * Why the thread cannot be joined by the caller; 0 if it can. That two threads join each other need not be found
 * (POSIX), and is not where both begin at the same time: they wait for ever.
 */
static int join_error(struct ics_thread *t) {
    struct ics_thread *me = ics_self();
    if (!t) return ESRCH;
    __ics_known(ICS_ZERO_IF_VALID, &t->detached, t);
    if (t->detached) return EINVAL;
    if (t == me) return EDEADLK;
    __ics_known(ICS_ZERO_IF_VALID, &t->joined, t);
    return t->joined ? EINVAL : 0;
}

int pthread_join(pthread_t thread, void **result) {
    struct ics_thread *t = ics_find_thread(thread);
    int error = join_error(t);
    if (error) return error;
    ics_cancellation_point();
    t->joined = 1;
    while (t->state != ICS_DONE) {
        ics_self()->waiting = 1;
        ics_wait(t, ICS_FOREVER);
        ics_self()->waiting = 0;
        if (!ics_cancel_pending()) continue;
        t->joined = 0;
        ics_cancellation_point();
    }
    joined(t, result);
    return 0;
}

int pthread_tryjoin_np(pthread_t thread, void **result) {
    struct ics_thread *t = ics_find_thread(thread);
    int error = join_error(t);
    if (error) return error;
    if (t->state == ICS_DONE) {
        joined(t, result);
        return 0;
    }
    __ics_event(t, ICS_EXCLUSIVE);
    return EBUSY;
}

int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const struct timespec *abstime) {
    struct ics_thread *t = ics_find_thread(thread);
    int error = join_error(t);
    if (error) return error;
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
    if (!ics_valid_time(abstime)) return EINVAL;
    t->joined = 1;
    while (t->state != ICS_DONE) {
        if (ics_wait_cancellable(t, ics_deadline(clock, abstime)) != ICS_TIMED_OUT) continue;
        t->joined = 0;
        __ics_event(t, ICS_EXCLUSIVE);
        return ETIMEDOUT;
    }
    joined(t, result);
    return 0;
}

int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *abstime) {
    return pthread_clockjoin_np(thread, result, CLOCK_REALTIME, abstime);
}

int pthread_detach(pthread_t thread) {
    struct ics_thread *t = ics_find_thread(thread);
    if (!t) return ESRCH;
    if (t->detached || t->joined) return EINVAL;
    t->detached = 1;
    if (t->state == ICS_DONE) gone(t);
    return 0;
}

pthread_t pthread_self(void) {
    return (pthread_t)ics_self();
}

int pthread_equal(pthread_t a, pthread_t b) {
    return a == b;
}

int sched_yield(void) {
    ics_pause();
    return 0;
}

/* The headers of newer glibc turn pthread_yield into sched_yield; programs compiled with older ones call it. */
int ics_pthread_yield(void) __asm__("pthread_yield");
int ics_pthread_yield(void) {
    ics_pause();
    return 0;
}
