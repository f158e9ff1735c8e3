/* Mutexes (Bergan figure 2.12), laid over glibc's pthread_mutex_t so that its static initialisers work. */
#include "ics.h"

#include <errno.h>
#include <pthread.h>

#include "ics_mutex.h"
#include "ics_thread.h"

int __ics_plain_mutexes;
int __ics_no_robust_mutexes;

/* What a robust mutex remembers of an owner that ended. */
enum { SOUND, OWNER_DIED, NOT_RECOVERABLE };

#define TYPE_OF(m) (ICS_MUTEX_KIND(m) & ICS_MUTEX_TYPE)

/* Of a kind that neither asks who holds it nor counts. One test, since nobody may know the kind. */
#define IS_PLAIN(m) ((ICS_MUTEX_KIND(m) == PTHREAD_MUTEX_NORMAL) | (ICS_MUTEX_KIND(m) == PTHREAD_MUTEX_ADAPTIVE_NP))

/* A destroyed mutex has a kind of -1. */
#define INVALID_KIND(m) (ICS_MUTEX_KIND(m) < 0)

static int is_mine(const struct ics_mutex *m) {
    ics_mutex_known(m);
    if (!m->taken) return 0;
    __ics_known(ICS_HOLDER, &m->owner, m);
    return m->owner == ics_self();
}

/* 0, or EOWNERDEAD: the mutex is held then as well. */
static int take(struct ics_mutex *m) {
    m->taken = 1;
    if (!IS_PLAIN(m)) {
        m->owner = ics_self();
        ics_owns();
    }
    m->count = 0;
    __ics_acquire(m);
    __ics_event(m, ICS_EXCLUSIVE);
    if (!ICS_IS_ROBUST(m)) return 0;
    struct ics_thread *t = ics_self();
    m->next = t->robust;
    t->robust = m;
    return m->state == OWNER_DIED ? EOWNERDEAD : 0;
}

/* A failed attempt that depends on what other threads do. */
static int not_taken(struct ics_mutex *m, int error) {
    __ics_event(m, ICS_EXCLUSIVE);
    return error;
}

/* What a lock operation has to say before it can block: -1 to go on. */
static int early(struct ics_mutex *m, int try) {
    ics_mutex_known(m);
    if (IS_PLAIN(m)) return -1;
    if (INVALID_KIND(m)) return EINVAL;
    if (ICS_IS_ROBUST(m) && m->state == NOT_RECOVERABLE) return ENOTRECOVERABLE;
    if (ICS_MUTEX_KIND(m) & ICS_MUTEX_PROTECT && ics_self()->priority > (int)m->ceiling) return EINVAL;
    if (!is_mine(m)) return -1;
    if (TYPE_OF(m) == PTHREAD_MUTEX_ERRORCHECK) return try ? EBUSY : EDEADLK;
    if (TYPE_OF(m) != PTHREAD_MUTEX_RECURSIVE) return -1;
    __ics_known(ICS_COUNTS_HOLDS, &m->count, m);
    if (m->count == 0xffffffffu) return EAGAIN;
    m->count++;
    return 0;
}

void ics_mutex_known(const struct ics_mutex *m) {
    __ics_known(ICS_ZERO_UNLESS_HELD, &m->taken, m);
    __ics_known(ICS_SET_WHILE_WAITED_FOR, &m->taken, m);
}

/* What a lock operation returns that does not block. 0: it is one more lock of a recursive mutex, an acquisition of its
   own. */
static int at_once(struct ics_mutex *m, int error) {
    if (error == 0) __ics_acquire(m);
    return error;
}

int ics_mutex_take(struct ics_mutex *m) {
    ics_mutex_known(m);
    while (m->taken) ics_wait(m, ICS_FOREVER);
    if (ICS_IS_ROBUST(m) && m->state == NOT_RECOVERABLE) return not_taken(m, ENOTRECOVERABLE);
    return take(m);
}

/* A null attribute gives the defaults. */
int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr) {
    struct ics_mutex *m = (struct ics_mutex *)mutex;
    __ics_memset(m, 0, sizeof *m);
    return attr ? ics_mutex_apply(m, attr) : 0;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex) {
    struct ics_mutex *m = (struct ics_mutex *)mutex;
    if (m->taken) return EBUSY;
    m->kind = -1; /* as glibc: any later use is EINVAL */
    return 0;
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    struct ics_mutex *m = (struct ics_mutex *)mutex;
    int done = early(m, 0);
    return done >= 0 ? at_once(m, done) : ics_mutex_take(m);
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    struct ics_mutex *m = (struct ics_mutex *)mutex;
    int done = early(m, 1);
    if (done >= 0) return at_once(m, done);
    return m->taken ? not_taken(m, EBUSY) : take(m);
}

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *abstime) {
    struct ics_mutex *m = (struct ics_mutex *)mutex;
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
    int done = early(m, 0);
    if (done >= 0) return at_once(m, done);
    while (m->taken) {
        if (!ics_valid_time(abstime)) return EINVAL;
        if (ics_wait(m, ics_deadline(clock, abstime)) == ICS_TIMED_OUT) return not_taken(m, ETIMEDOUT);
    }
    return ics_mutex_take(m);
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *abstime) {
    return pthread_mutex_clocklock(mutex, CLOCK_REALTIME, abstime);
}

static void forget_robust(struct ics_mutex *m) {
    struct ics_mutex **link = &ics_self()->robust;
    while (*link && *link != m) link = &(*link)->next;
    if (*link) *link = m->next;
}

void ics_mutex_free(struct ics_mutex *m) {
    if (ICS_IS_ROBUST(m)) forget_robust(m);
    if (!IS_PLAIN(m)) ics_owns_no_more();
    __ics_release(m);
    m->taken = 0;
    m->owner = 0;
    /* Whoever waits may be the next: that is for schedules to say. */
    __ics_notify_all(m);
}

/* Whether unlocking has to ask who holds it, and whether it is held once more. */
#define IS_CHECKED(m) (!IS_PLAIN(m))

/* Why the caller cannot unlock it: because it does not hold it. */
static int unlock_error(const struct ics_mutex *m) {
    if (!IS_CHECKED(m)) return 0;
    if (INVALID_KIND(m)) return EINVAL;
    int owned = TYPE_OF(m) == PTHREAD_MUTEX_RECURSIVE || TYPE_OF(m) == PTHREAD_MUTEX_ERRORCHECK;
    return (owned || ICS_IS_ROBUST(m)) && !is_mine(m) ? EPERM : 0;
}

/* Each lock of a recursive mutex is one acquisition: every way through here says that one has ended. */
int ics_mutex_release(struct ics_mutex *m) {
    int error = unlock_error(m);
    if (error) {
        __ics_not_held(m);
        return error;
    }
    if (IS_CHECKED(m)) __ics_known(ICS_COUNTS_HOLDS, &m->count, m);
    if (IS_CHECKED(m) && m->count) {
        m->count--;
        __ics_release(m);
        return 0;
    }
    __ics_event(m, ICS_EXCLUSIVE);
    if (ICS_IS_ROBUST(m) && m->state == OWNER_DIED) m->state = NOT_RECOVERABLE;
    ics_mutex_free(m);
    /* Nobody can have it any more: all who wait are told. */
    if (ICS_IS_ROBUST(m) && m->state == NOT_RECOVERABLE) __ics_notify_all(m);
    return 0;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    int error = ics_mutex_release((struct ics_mutex *)mutex);
    if (error == 0) ics_yield();
    return error;
}

void ics_abandon_mutexes(struct ics_thread *t) {
    while (t->robust) {
        struct ics_mutex *m = t->robust;
        __ics_event(m, ICS_EXCLUSIVE);
        m->state = OWNER_DIED;
        m->count = 0;
        ics_mutex_free(m);
    }
}

int pthread_mutex_consistent(pthread_mutex_t *mutex) {
    struct ics_mutex *m = (struct ics_mutex *)mutex;
    if (INVALID_KIND(m) || !ICS_IS_ROBUST(m) || m->state != OWNER_DIED) return EINVAL;
    m->state = SOUND;
    return 0;
}

/* What programs that were compiled with an older glibc call. */
int ics_consistent_np(pthread_mutex_t *mutex) __asm__("pthread_mutex_consistent_np");
int ics_consistent_np(pthread_mutex_t *mutex) {
    return pthread_mutex_consistent(mutex);
}

int pthread_mutex_getprioceiling(const pthread_mutex_t *mutex, int *ceiling) {
    const struct ics_mutex *m = (const struct ics_mutex *)mutex;
    if (INVALID_KIND(m) || !(ICS_MUTEX_KIND(m) & ICS_MUTEX_PROTECT)) return EINVAL;
    *ceiling = (int)m->ceiling;
    return 0;
}

int pthread_mutex_setprioceiling(pthread_mutex_t *mutex, int ceiling, int *old) {
    struct ics_mutex *m = (struct ics_mutex *)mutex;
    if (INVALID_KIND(m) || !(ICS_MUTEX_KIND(m) & ICS_MUTEX_PROTECT) || ceiling < 1 || ceiling > 99) return EINVAL;
    int mine = is_mine(m);
    if (mine && TYPE_OF(m) == PTHREAD_MUTEX_ERRORCHECK) return EDEADLK;
    if (!mine || TYPE_OF(m) != PTHREAD_MUTEX_RECURSIVE) {
        mine = 0;
        int error = ics_mutex_take(m);
        if (error) return error;
    }
    if (old) *old = (int)m->ceiling;
    m->ceiling = (unsigned)ceiling;
    if (mine) return 0;
    __ics_event(m, ICS_EXCLUSIVE);
    ics_mutex_free(m);
    ics_yield();
    return 0;
}
