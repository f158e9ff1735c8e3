/* Threads: created, joined, cancelled; keys. Handles are the addresses of `struct thread`. */
#include "explorer.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

int __real_main(int argc, char **argv, char **environment);
int __real_pthread_create(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *), void *argument);
int __real_pthread_join(pthread_t handle, void **result);
noreturn void __real_pthread_exit(void *result);
pthread_t __real_pthread_self(void);
void own_signal_stack(void);

#define CALLER __builtin_return_address(0)

static struct thread *ended; /* its system thread is to be waited for */

static struct thread *find(pthread_t handle) {
    for (unsigned i = 0; i < thread_count; i++)
        if ((pthread_t)&threads[i] == handle && threads[i].life != JOINED) return &threads[i];
    return 0;
}

/* Waits until a thread that has ended is gone for the system, too, so that what happens then happens in order. */
void reap(void) {
    struct thread *t = ended;
    ended = 0;
    if (t && t->number != 0) __real_pthread_join(t->real, 0);
}

/* --- keys --- */

static struct { bool used; void (*destructor)(void *); } keys[MOST_KEYS];

static void run_destructors(void) {
    for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
        bool again = false;
        for (int i = 0; i < MOST_KEYS; i++) {
            void *value = self->values[i];
            if (!keys[i].used || !value) continue;
            self->values[i] = 0;
            if (!keys[i].destructor) continue;
            keys[i].destructor(value);
            again = true;
        }
        if (!again) return;
    }
}

int __wrap_pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
    for (unsigned i = 0; i < MOST_KEYS; i++) {
        if (keys[i].used) continue;
        keys[i].used = true;
        keys[i].destructor = destructor;
        for (unsigned t = 0; t < MOST_THREADS; t++) threads[t].values[i] = 0;
        *key = i;
        return 0;
    }
    return EAGAIN;
}

int __wrap_pthread_key_delete(pthread_key_t key) {
    if (key >= MOST_KEYS || !keys[key].used) return EINVAL;
    keys[key].used = false;
    return 0;
}

int __wrap_pthread_setspecific(pthread_key_t key, const void *value) {
    if (key >= MOST_KEYS || !keys[key].used) return EINVAL;
    self->values[key] = (void *)value;
    return 0;
}

void *__wrap_pthread_getspecific(pthread_key_t key) {
    return key < MOST_KEYS && keys[key].used ? self->values[key] : 0;
}

int __wrap_tss_create(tss_t *key, tss_dtor_t destructor) {
    return __wrap_pthread_key_create(key, destructor) ? thrd_error : thrd_success;
}

void __wrap_tss_delete(tss_t key) {
    __wrap_pthread_key_delete(key);
}

int __wrap_tss_set(tss_t key, void *value) {
    return __wrap_pthread_setspecific(key, value) ? thrd_error : thrd_success;
}

void *__wrap_tss_get(tss_t key) {
    return __wrap_pthread_getspecific(key);
}

/* --- beginning and end --- */

static bool others_live(void) {
    for (unsigned i = 0; i < thread_count; i++)
        if (&threads[i] != self && threads[i].life == ALIVE) return true;
    return false;
}

/* The last that runs of a thread, after its cleanup handlers. */
static void end_thread(void *unused) {
    (void)unused;
    struct thread *t = self;
    t->exiting = true;
    run_destructors();
    announce(t->exit_caller ? t->exit_op : OP_thread_end, &t->life, 0, 0, t->exit_caller);
    if (!others_live()) exit(0);
    t->life = FINISHED;
    if (t->detached) t->life = JOINED;
    if (t->number == 0) leave_for_good();
    ended = t;
    give_turn_away();
}

static void *begin_thread(void *block) {
    struct thread *t = self = block;
    t->system_number = (uint32_t)gettid();
    own_signal_stack();
    t->base = __builtin_frame_address(0);
    hold_until_turn(t);
    pthread_cleanup_push(end_thread, 0);
    t->result = t->c11 ? (void *)(intptr_t)((int (*)(void *))(void (*)(void))t->start)(t->argument) : t->start(t->argument);
    pthread_cleanup_pop(1);
    return 0;
}

/* pthread_exit in the main thread comes to its cleanup handler, too. */
void start_main(int argc, char **argv, char **environment) {
    struct thread *t = self = &threads[0];
    t->base = __builtin_frame_address(0);
    t->real = __real_pthread_self();
    t->system_number = (uint32_t)gettid();
    new_thread(t);
    announce(OP_thread_start, &t->life, 0, 0, 0);
    pthread_cleanup_push(end_thread, 0);
    exit(__real_main(argc, argv, environment));
    pthread_cleanup_pop(0);
}

struct beginning {
    void *(*start)(void *);
    void *argument;
    bool c11;
};

static int create(enum operation id, pthread_t *handle, const pthread_attr_t *attr, const struct beginning *how, const void *caller) {
    if (thread_count == MOST_THREADS) return EAGAIN;
    /* Which thread it will be depends on who creates others until then. */
    announce(id, 0, 0, 0, caller);
    struct thread *t = &threads[thread_count];
    touch(&t->life, 1, SYNCS | WRITES);
    not_in_a_cycle(self);
    t->start = how->start;
    t->argument = how->argument;
    t->c11 = how->c11;
    int state = PTHREAD_CREATE_JOINABLE;
    if (attr) pthread_attr_getdetachstate(attr, &state);
    t->detached = state == PTHREAD_CREATE_DETACHED;
    if (t->detached) pthread_attr_setdetachstate((pthread_attr_t *)attr, PTHREAD_CREATE_JOINABLE);
    int error = __real_pthread_create(&t->real, attr, begin_thread, t);
    if (t->detached) pthread_attr_setdetachstate((pthread_attr_t *)attr, PTHREAD_CREATE_DETACHED);
    if (error) return error;
    new_thread(t);
    *handle = (pthread_t)t;
    touch(handle, sizeof *handle, WRITES);
    return 0;
}

int __wrap_pthread_create(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *), void *argument) {
    struct beginning how = {.start = start, .argument = argument};
    return create(OP_pthread_create, handle, attr, &how, CALLER);
}

int __wrap_thrd_create(thrd_t *handle, thrd_start_t start, void *argument) {
    struct beginning how = {.start = (void *(*)(void *))(void (*)(void))start, .argument = argument, .c11 = true};
    int error = create(OP_thrd_create, handle, 0, &how, CALLER);
    return error == 0 ? thrd_success : error == EAGAIN ? thrd_nomem : thrd_error;
}

static noreturn void leave(enum operation id, void *result, const void *caller) {
    self->exit_op = id;
    self->exit_caller = caller;
    self->result = result;
    self->exiting = true;
    __real_pthread_exit(result);
}

noreturn void __wrap_pthread_exit(void *result) {
    leave(OP_pthread_exit, result, CALLER);
}

noreturn void __wrap_thrd_exit(int result) {
    leave(OP_thrd_exit, (void *)(intptr_t)result, CALLER);
}

/* --- cancellation --- */

bool cancel_acts(const struct thread *t) {
    return t->cancel_pending && !t->cancel_off && !t->exiting;
}

void cancel_now(void) {
    self->result = PTHREAD_CANCELED;
    self->exiting = true;
    __real_pthread_exit(PTHREAD_CANCELED);
}

/* Programs that cancel nothing have no choices here. */
void cancellation_point(const void *caller) {
    if (!request.cancels || self->cancel_off || self->exiting) return;
    announce(OP_pthread_testcancel, &self->cancel_pending, 0, 0, caller);
    if (cancel_acts(self)) cancel_now();
}

int __wrap_pthread_cancel(pthread_t handle) {
    struct thread *t = find(handle);
    if (!t) return ESRCH;
    announce(OP_pthread_cancel, &t->life, 0, 0, CALLER);
    not_in_a_cycle(self);
    not_in_a_cycle(t);
    if (t->life == ALIVE) t->cancel_pending = true;
    return 0;
}

void __wrap_pthread_testcancel(void) {
    cancellation_point(CALLER);
}

int __wrap_pthread_setcancelstate(int state, int *old) {
    if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) return EINVAL;
    if (old) *old = self->cancel_off ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
    self->cancel_off = state == PTHREAD_CANCEL_DISABLE;
    return 0;
}

/* An asynchronous cancellation acts at cancellation points here, which is one of the times when it may. */
int __wrap_pthread_setcanceltype(int type, int *old) {
    static __thread int current = PTHREAD_CANCEL_DEFERRED;
    if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
    if (old) *old = current;
    current = type;
    return 0;
}

/* --- joining --- */

static int join_error(const struct thread *t) {
    if (!t) return ESRCH;
    if (t == self) return EDEADLK;
    return t->detached || t->joining ? EINVAL : 0;
}

static int joined(struct thread *t, void **result) {
    not_in_a_cycle(self);
    t->life = JOINED;
    if (result) {
        *result = t->result;
        touch(result, sizeof *result, WRITES);
    }
    return 0;
}

static int join(enum operation id, pthread_t handle, void **result, const struct timespec *until, const void *caller) {
    struct thread *t = find(handle);
    int error = join_error(t);
    if (error) return error;
    cancellation_point(caller);
    t->joining = true;
    unsigned how = announce(id, &t->life, 0, 0, caller);
    if (how == AS_USUAL) return joined(t, result);
    t->joining = false;
    if (how == CANCELLED) cancel_now();
    time_passes(until);
    return ETIMEDOUT;
}

int __wrap_pthread_join(pthread_t handle, void **result) {
    return join(OP_pthread_join, handle, result, 0, CALLER);
}

int __wrap_pthread_timedjoin_np(pthread_t handle, void **result, const struct timespec *until) {
    return join(OP_pthread_timedjoin_np, handle, result, until, CALLER);
}

int __wrap_pthread_clockjoin_np(pthread_t handle, void **result, clockid_t clock, const struct timespec *until) {
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
    return join(OP_pthread_clockjoin_np, handle, result, until, CALLER);
}

int __wrap_pthread_tryjoin_np(pthread_t handle, void **result) {
    struct thread *t = find(handle);
    int error = join_error(t);
    if (error) return error;
    announce(OP_pthread_tryjoin_np, &t->life, 0, 0, CALLER);
    return t->life == FINISHED ? joined(t, result) : EBUSY;
}

int __wrap_thrd_join(thrd_t handle, int *result) {
    void *value = 0;
    int error = join(OP_thrd_join, handle, &value, 0, CALLER);
    if (error == 0 && result) *result = (int)(intptr_t)value;
    return error ? thrd_error : thrd_success;
}

int __wrap_pthread_detach(pthread_t handle) {
    struct thread *t = find(handle);
    if (!t) return ESRCH;
    if (t->detached || t->joining) return EINVAL;
    t->detached = true;
    if (t->life == FINISHED) t->life = JOINED;
    return 0;
}

int __wrap_thrd_detach(thrd_t handle) {
    return __wrap_pthread_detach(handle) ? thrd_error : thrd_success;
}

/* --- handles --- */

pthread_t __wrap_pthread_self(void) {
    return (pthread_t)self;
}

thrd_t __wrap_thrd_current(void) {
    return (thrd_t)self;
}

int __wrap_pthread_equal(pthread_t a, pthread_t b) {
    return a == b;
}

int __wrap_thrd_equal(thrd_t a, thrd_t b) {
    return a == b;
}

/* Calls `name` with the system's handle. */
#define WITH_REAL(name, parameters, ...)                                                                                   \
    int __real_##name parameters;                                                                                          \
    int __wrap_##name parameters {                                                                                         \
        struct thread *t = find(handle);                                                                                   \
        if (!t) return ESRCH;                                                                                              \
        if (t->life != ALIVE) return 0;                                                                                    \
        return __real_##name(t->real, __VA_ARGS__);                                                                        \
    }

WITH_REAL(pthread_kill, (pthread_t handle, int number), number)
WITH_REAL(pthread_setname_np, (pthread_t handle, const char *name), name)
WITH_REAL(pthread_getname_np, (pthread_t handle, char *name, size_t room), name, room)
WITH_REAL(pthread_getattr_np, (pthread_t handle, pthread_attr_t *attr), attr)
WITH_REAL(pthread_setaffinity_np, (pthread_t handle, size_t size, const cpu_set_t *set), size, set)
WITH_REAL(pthread_getaffinity_np, (pthread_t handle, size_t size, cpu_set_t *set), size, set)
WITH_REAL(pthread_setschedparam, (pthread_t handle, int policy, const struct sched_param *p), policy, p)
WITH_REAL(pthread_getschedparam, (pthread_t handle, int *policy, struct sched_param *p), policy, p)
WITH_REAL(pthread_setschedprio, (pthread_t handle, int priority), priority)
WITH_REAL(pthread_getcpuclockid, (pthread_t handle, clockid_t *clock), clock)
