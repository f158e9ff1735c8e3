/* Objects of synchronisation. Mutexes and semaphores are glibc's, called when they cannot block; the rest is kept in the
 * program's objects, where zero means what a static initialiser says. */
#include "explorer.h"

#include <errno.h>
#include <semaphore.h>
#include <threads.h>

#define CALLER __builtin_return_address(0)

int __real_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr);
int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __real_pthread_mutex_trylock(pthread_mutex_t *mutex);
int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __real_sem_init(sem_t *sem, int shared, unsigned value);
int __real_sem_trywait(sem_t *sem);
int __real_sem_post(sem_t *sem);
int __real_sem_getvalue(sem_t *sem, int *value);
int __real_pthread_spin_trylock(pthread_spinlock_t *lock);
int __real_pthread_spin_unlock(pthread_spinlock_t *lock);
int __real_pthread_spin_init(pthread_spinlock_t *lock, int shared);
void cancellation_point(const void *caller);
void cancel_now(void);

static bool is_time(const struct timespec *time) {
    return time && time->tv_nsec >= 0 && time->tv_nsec < 1000000000;
}

static bool is_clock(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

static int c11_status(int error) {
    switch (error) {
    case 0: return thrd_success;
    case EBUSY: return thrd_busy;
    case ENOMEM: return thrd_nomem;
    case ETIMEDOUT: return thrd_timedout;
    default: return thrd_error;
    }
}

/* --- mutexes --- */

/* Bits of glibc's kinds and of its lock words: robust owners that died, ceilings of priorities. */
enum { TYPE = 3, ROBUST = 16, CEILING_KIND = 64, OWNER_DIED = 0x40000000, CEILING = (int)0xfff80000 };

static int type_of(const pthread_mutex_t *mutex) {
    return mutex->__data.__kind & TYPE;
}

static bool asks_who_holds(const pthread_mutex_t *mutex) {
    return type_of(mutex) == PTHREAD_MUTEX_RECURSIVE || type_of(mutex) == PTHREAD_MUTEX_ERRORCHECK
        || mutex->__data.__kind & ROBUST;
}

/* glibc stores the system's number of the holder. */
static bool is_held_by(const pthread_mutex_t *mutex, const struct thread *thread) {
    const int *holder = &mutex->__data.__owner;
    return mutex->__data.__lock && *holder && *holder == (int)thread->system_number;
}

bool mutex_is_free(const pthread_mutex_t *mutex, const struct thread *thread) {
    int lock = mutex->__data.__lock;
    if (mutex->__data.__kind & CEILING_KIND) lock &= ~CEILING;
    if (lock == 0 || (mutex->__data.__kind & ROBUST && lock & OWNER_DIED)) return true;
    return asks_who_holds(mutex) && type_of(mutex) != PTHREAD_MUTEX_NORMAL && is_held_by(mutex, thread);
}

/* Whether other threads have no say in what a call does: the caller locks what it holds, or unlocks what it does not hold
 * or holds twice. Such calls are no choices. */
static bool is_own_matter(const pthread_mutex_t *mutex, bool locks) {
    if (!asks_who_holds(mutex)) return false;
    if (mutex->__data.__kind < 0) return true;
    bool mine = is_held_by(mutex, self);
    if (locks) return mine && type_of(mutex) != PTHREAD_MUTEX_NORMAL;
    return !mine || (type_of(mutex) == PTHREAD_MUTEX_RECURSIVE && mutex->__data.__count > 1);
}

static int lock(enum operation id, pthread_mutex_t *mutex, const void *caller) {
    if (!is_own_matter(mutex, true)) announce(id, mutex, sizeof *mutex, 0, caller);
    return __real_pthread_mutex_lock(mutex);
}

static int trylock(enum operation id, pthread_mutex_t *mutex, const void *caller) {
    if (!is_own_matter(mutex, true)) announce(id, mutex, sizeof *mutex, 0, caller);
    return __real_pthread_mutex_trylock(mutex);
}

static int timedlock(enum operation id, pthread_mutex_t *mutex, const struct timespec *until, const void *caller) {
    if (!is_own_matter(mutex, true) && announce(id, mutex, sizeof *mutex, 0, caller) == TIMED_OUT) {
        if (!is_time(until)) return EINVAL;
        time_passes(until);
        return ETIMEDOUT;
    }
    return __real_pthread_mutex_lock(mutex);
}

static int unlock(enum operation id, pthread_mutex_t *mutex, const void *caller) {
    if (!is_own_matter(mutex, false)) announce(id, mutex, sizeof *mutex, 0, caller);
    return __real_pthread_mutex_unlock(mutex);
}

int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr) {
    touch(mutex, sizeof *mutex, WRITES);
    cycle_touch(mutex, sizeof *mutex);
    return __real_pthread_mutex_init(mutex, attr);
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex) {
    return lock(OP_pthread_mutex_lock, mutex, CALLER);
}

int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex) {
    return trylock(OP_pthread_mutex_trylock, mutex, CALLER);
}

int __wrap_pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until) {
    return timedlock(OP_pthread_mutex_timedlock, mutex, until, CALLER);
}

int __wrap_pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until) {
    if (!is_clock(clock)) return EINVAL;
    return timedlock(OP_pthread_mutex_clocklock, mutex, until, CALLER);
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex) {
    return unlock(OP_pthread_mutex_unlock, mutex, CALLER);
}

int __real_mtx_init(mtx_t *mutex, int type);
int __wrap_mtx_init(mtx_t *mutex, int type) {
    touch(mutex, sizeof *mutex, WRITES);
    cycle_touch(mutex, sizeof *mutex);
    return __real_mtx_init(mutex, type);
}

int __wrap_mtx_lock(mtx_t *mutex) {
    return c11_status(lock(OP_mtx_lock, (pthread_mutex_t *)mutex, CALLER));
}

int __wrap_mtx_trylock(mtx_t *mutex) {
    return c11_status(trylock(OP_mtx_trylock, (pthread_mutex_t *)mutex, CALLER));
}

int __wrap_mtx_timedlock(mtx_t *mutex, const struct timespec *until) {
    return c11_status(timedlock(OP_mtx_timedlock, (pthread_mutex_t *)mutex, until, CALLER));
}

int __wrap_mtx_unlock(mtx_t *mutex) {
    return c11_status(unlock(OP_mtx_unlock, (pthread_mutex_t *)mutex, CALLER));
}

/* --- condition variables --- */

static void stop_waiting(void) {
    self->cond = 0;
    self->signalled = 0;
}

/* `id` is followed by the operations of waking and of locking again. */
static int wait(enum operation id, void *cond, pthread_mutex_t *mutex, const struct timespec *until, const void *caller) {
    bool held = !asks_who_holds(mutex) || is_held_by(mutex, self);
    if (!held) return EPERM;
    cancellation_point(caller);
    announce(id, cond, 0, mutex, caller);
    cycle_touch(mutex, sizeof *mutex);
    self->cond = cond;
    self->signalled = 0;
    int error = __real_pthread_mutex_unlock(mutex);
    if (error) {
        stop_waiting();
        return error;
    }
    unsigned how = announce(id + 1, cond, 0, mutex, caller);
    stop_waiting();
    if (how == TIMED_OUT) {
        time_passes(until);
        announce(id + 2, mutex, sizeof *mutex, 0, caller);
    } else {
        not_in_a_cycle(self);
    }
    error = __real_pthread_mutex_lock(mutex);
    if (how == CANCELLED) cancel_now();
    return error ? error : how == TIMED_OUT ? ETIMEDOUT : 0;
}

static int wake(enum operation id, void *cond, const void *caller) {
    unsigned how = announce(id, cond, 0, 0, caller);
    bool all = kind_of(id) == BROADCAST;
    for (unsigned i = 0; i < thread_count; i++) {
        struct thread *t = &threads[i];
        if (t->life != ALIVE || t->cond != cond || t->signalled || !(all || how == FIRST_WAITER + i)) continue;
        t->signalled = 1;
        not_in_a_cycle(self);
        not_in_a_cycle(t);
    }
    return 0;
}

int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex) {
    return wait(OP_cond_wait, cond, mutex, 0, CALLER);
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until) {
    if (!is_time(until)) return EINVAL;
    return wait(OP_cond_timedwait, cond, mutex, until, CALLER);
}

int __wrap_pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until) {
    if (!is_time(until) || !is_clock(clock)) return EINVAL;
    return wait(OP_cond_clockwait, cond, mutex, until, CALLER);
}

int __wrap_pthread_cond_signal(pthread_cond_t *cond) {
    return wake(OP_pthread_cond_signal, cond, CALLER);
}

int __wrap_pthread_cond_broadcast(pthread_cond_t *cond) {
    return wake(OP_pthread_cond_broadcast, cond, CALLER);
}

/* glibc's would wait for those that it knows; it knows none. */
int __wrap_pthread_cond_destroy(pthread_cond_t *cond) {
    (void)cond;
    return 0;
}

int __wrap_cnd_wait(cnd_t *cond, mtx_t *mutex) {
    return c11_status(wait(OP_cnd_wait, cond, (pthread_mutex_t *)mutex, 0, CALLER));
}

int __wrap_cnd_timedwait(cnd_t *cond, mtx_t *mutex, const struct timespec *until) {
    if (!is_time(until)) return thrd_error;
    return c11_status(wait(OP_cnd_timedwait, cond, (pthread_mutex_t *)mutex, until, CALLER));
}

int __wrap_cnd_signal(cnd_t *cond) {
    return wake(OP_cnd_signal, cond, CALLER);
}

int __wrap_cnd_broadcast(cnd_t *cond) {
    return wake(OP_cnd_broadcast, cond, CALLER);
}

void __wrap_cnd_destroy(cnd_t *cond) {
    (void)cond;
}

/* --- semaphores --- */

int __wrap_sem_init(sem_t *sem, int shared, unsigned value) {
    touch(sem, sizeof *sem, WRITES);
    cycle_touch(sem, sizeof *sem);
    return __real_sem_init(sem, shared, value);
}

static int sem_wait_until(enum operation id, sem_t *sem, const struct timespec *until, const void *caller) {
    cancellation_point(caller);
    unsigned how = announce(id, sem, sizeof *sem, 0, caller);
    if (how == CANCELLED) cancel_now();
    if (how == AS_USUAL) return __real_sem_trywait(sem);
    time_passes(until);
    errno = is_time(until) ? ETIMEDOUT : EINVAL;
    return -1;
}

int __wrap_sem_wait(sem_t *sem) {
    return sem_wait_until(OP_sem_wait, sem, 0, CALLER);
}

int __wrap_sem_timedwait(sem_t *sem, const struct timespec *until) {
    return sem_wait_until(OP_sem_timedwait, sem, until, CALLER);
}

int __wrap_sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *until) {
    if (!is_clock(clock)) {
        errno = EINVAL;
        return -1;
    }
    return sem_wait_until(OP_sem_clockwait, sem, until, CALLER);
}

int __wrap_sem_trywait(sem_t *sem) {
    announce(OP_sem_trywait, sem, sizeof *sem, 0, CALLER);
    return __real_sem_trywait(sem);
}

int __wrap_sem_post(sem_t *sem) {
    announce(OP_sem_post, sem, sizeof *sem, 0, CALLER);
    return __real_sem_post(sem);
}

int __wrap_sem_getvalue(sem_t *sem, int *value) {
    announce(OP_sem_getvalue, sem, sizeof *sem, 0, CALLER);
    return __real_sem_getvalue(sem, value);
}

/* --- barriers --- */

struct barrier {
    unsigned count, arrived;
    uint64_t round;
};
_Static_assert(sizeof(struct barrier) <= sizeof(pthread_barrier_t), "fits");

bool is_past(const void *barrier, const void *round) {
    return ((const struct barrier *)barrier)->round != (uint64_t)round;
}

int __wrap_pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr, unsigned count) {
    (void)attr;
    if (count == 0 || count > 0x7fffffff) return EINVAL;
    touch(barrier, sizeof *barrier, WRITES);
    cycle_touch(barrier, sizeof *barrier);
    *(struct barrier *)barrier = (struct barrier){.count = count};
    return 0;
}

int __wrap_pthread_barrier_destroy(pthread_barrier_t *barrier) {
    (void)barrier;
    return 0;
}

int __wrap_pthread_barrier_wait(pthread_barrier_t *barrier) {
    struct barrier *b = (struct barrier *)barrier;
    announce(OP_barrier_arrive, barrier, 0, 0, CALLER);
    not_in_a_cycle(self);
    if (++b->arrived == b->count) {
        b->arrived = 0;
        b->round++;
        return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    announce(OP_barrier_leave, barrier, 0, (void *)b->round, CALLER);
    return 0;
}

/* --- read-write locks --- */

struct rwlock {
    unsigned readers, writing;
    struct thread *writer;
};
_Static_assert(sizeof(struct rwlock) <= offsetof(struct __pthread_rwlock_arch_t, __flags), "in front of the flags");

bool closed_to_readers(const void *lock) {
    return ((const struct rwlock *)lock)->writing;
}

bool closed_to_writers(const void *lock) {
    const struct rwlock *l = lock;
    return l->writing || l->readers;
}

int __real_pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attr);
int __wrap_pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attr) {
    touch(lock, sizeof *lock, WRITES);
    cycle_touch(lock, sizeof *lock);
    int error = __real_pthread_rwlock_init(lock, attr);
    if (!error) *(struct rwlock *)lock = (struct rwlock){0};
    return error;
}

int __wrap_pthread_rwlock_destroy(pthread_rwlock_t *lock) {
    (void)lock;
    return 0;
}

static int rw_taken(struct rwlock *l, bool writes) {
    if (writes) {
        l->writing = 1;
        l->writer = self;
    } else {
        l->readers++;
    }
    return 0;
}

static int rwlock(enum operation id, pthread_rwlock_t *lock, bool writes, const struct timespec *until, const void *caller) {
    struct rwlock *l = (struct rwlock *)lock;
    if (l->writing && l->writer == self) return EDEADLK;
    if (announce(id, lock, sizeof *lock, 0, caller) == AS_USUAL) return rw_taken(l, writes);
    if (!is_time(until)) return EINVAL;
    time_passes(until);
    return ETIMEDOUT;
}

static int try_rwlock(enum operation id, pthread_rwlock_t *lock, bool writes, const void *caller) {
    announce(id, lock, sizeof *lock, 0, caller);
    bool closed = writes ? closed_to_writers(lock) : closed_to_readers(lock);
    return closed ? EBUSY : rw_taken((struct rwlock *)lock, writes);
}

int __wrap_pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
    return rwlock(OP_pthread_rwlock_rdlock, lock, false, 0, CALLER);
}

int __wrap_pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
    return rwlock(OP_pthread_rwlock_wrlock, lock, true, 0, CALLER);
}

int __wrap_pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) {
    return try_rwlock(OP_pthread_rwlock_tryrdlock, lock, false, CALLER);
}

int __wrap_pthread_rwlock_trywrlock(pthread_rwlock_t *lock) {
    return try_rwlock(OP_pthread_rwlock_trywrlock, lock, true, CALLER);
}

int __wrap_pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until) {
    return rwlock(OP_pthread_rwlock_timedrdlock, lock, false, until, CALLER);
}

int __wrap_pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until) {
    return rwlock(OP_pthread_rwlock_timedwrlock, lock, true, until, CALLER);
}

int __wrap_pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until) {
    return is_clock(clock) ? rwlock(OP_pthread_rwlock_clockrdlock, lock, false, until, CALLER) : EINVAL;
}

int __wrap_pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until) {
    return is_clock(clock) ? rwlock(OP_pthread_rwlock_clockwrlock, lock, true, until, CALLER) : EINVAL;
}

int __wrap_pthread_rwlock_unlock(pthread_rwlock_t *lock) {
    struct rwlock *l = (struct rwlock *)lock;
    announce(OP_pthread_rwlock_unlock, lock, sizeof *lock, 0, CALLER);
    if (l->writing) {
        l->writing = 0;
        l->writer = 0;
    } else if (l->readers) {
        l->readers--;
    }
    return 0;
}

/* --- spin locks --- */

bool spin_is_free(const void *lock) {
    static pthread_spinlock_t free_one;
    __real_pthread_spin_init(&free_one, 0);
    return *(const int *)lock == (int)free_one;
}

int __wrap_pthread_spin_init(pthread_spinlock_t *lock, int shared) {
    touch((void *)lock, sizeof *lock, WRITES);
    cycle_touch((void *)lock, sizeof *lock);
    return __real_pthread_spin_init(lock, shared);
}

int __wrap_pthread_spin_lock(pthread_spinlock_t *lock) {
    announce(OP_pthread_spin_lock, (void *)lock, sizeof *lock, 0, CALLER);
    return __real_pthread_spin_trylock(lock);
}

int __wrap_pthread_spin_trylock(pthread_spinlock_t *lock) {
    announce(OP_pthread_spin_trylock, (void *)lock, sizeof *lock, 0, CALLER);
    return __real_pthread_spin_trylock(lock);
}

int __wrap_pthread_spin_unlock(pthread_spinlock_t *lock) {
    announce(OP_pthread_spin_unlock, (void *)lock, sizeof *lock, 0, CALLER);
    return __real_pthread_spin_unlock(lock);
}

/* --- once --- */

enum { NEW, RUNNING, DONE };

static void not_done(void *control) {
    *(int *)control = NEW;
}

/* `id` is followed by the operation at the routine's end. */
static void once(enum operation id, int *control, void (*routine)(void), const void *caller) {
    announce(id, control, sizeof *control, 0, caller);
    if (*control == DONE) return;
    *control = RUNNING;
    pthread_cleanup_push(not_done, control);
    routine();
    pthread_cleanup_pop(0);
    announce(id + 1, control, sizeof *control, 0, caller);
    *control = DONE;
}

int __wrap_pthread_once(pthread_once_t *control, void (*routine)(void)) {
    once(OP_pthread_once, control, routine, CALLER);
    return 0;
}

void __wrap_call_once(once_flag *flag, void (*routine)(void)) {
    once(OP_call_once, (int *)flag, routine, CALLER);
}
