/* POSIX semaphores, unnamed and named. */
#include "ics.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ics_memory.h"
#include "ics_thread.h"

struct ics_semaphore {
    unsigned value;
};
_Static_assert(sizeof(struct ics_semaphore) <= sizeof(sem_t), "fits");

static int fail(int error) {
    errno = error;
    return -1;
}

int sem_init(sem_t *sem, int shared, unsigned value) {
    if (value > SEM_VALUE_MAX) return fail(EINVAL);
    __ics_memset(sem, 0, sizeof *sem);
    ((struct ics_semaphore *)sem)->value = value;
    return 0;
}

int sem_destroy(sem_t *sem) {
    return 0;
}

static int taken(struct ics_semaphore *s) {
    s->value--;
    __ics_event(s, ICS_EXCLUSIVE);
    return 0;
}

int sem_wait(sem_t *sem) {
    struct ics_semaphore *s = (struct ics_semaphore *)sem;
    __ics_known(ICS_COUNTS_PERMITS, &s->value, s);
    ics_cancellation_point();
    while (s->value == 0)
        if (ics_interrupted(ics_wait_cancellable(s, ICS_FOREVER))) return fail(EINTR);
    return taken(s);
}

int sem_trywait(sem_t *sem) {
    struct ics_semaphore *s = (struct ics_semaphore *)sem;
    __ics_known(ICS_COUNTS_PERMITS, &s->value, s);
    __ics_event(s, ICS_EXCLUSIVE);
    if (s->value == 0) return fail(EAGAIN);
    s->value--;
    return 0;
}

int sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *abstime) {
    struct ics_semaphore *s = (struct ics_semaphore *)sem;
    __ics_known(ICS_COUNTS_PERMITS, &s->value, s);
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return fail(EINVAL);
    if (!ics_valid_time(abstime)) return fail(EINVAL);
    ics_cancellation_point();
    while (s->value == 0) {
        enum ics_woken woken = ics_wait_cancellable(s, ics_deadline(clock, abstime));
        if (ics_interrupted(woken)) return fail(EINTR);
        if (woken == ICS_TIMED_OUT) {
            __ics_event(s, ICS_EXCLUSIVE);
            return fail(ETIMEDOUT);
        }
    }
    return taken(s);
}

int sem_timedwait(sem_t *sem, const struct timespec *abstime) {
    return sem_clockwait(sem, CLOCK_REALTIME, abstime);
}

int sem_post(sem_t *sem) {
    struct ics_semaphore *s = (struct ics_semaphore *)sem;
    __ics_known(ICS_COUNTS_PERMITS, &s->value, s);
    __ics_event(s, ICS_EXCLUSIVE);
    if (s->value == SEM_VALUE_MAX) return fail(EOVERFLOW);
    s->value++;
    /* Any of those that wait may be the next. */
    __ics_notify_all(s);
    ics_yield();
    return 0;
}

int sem_getvalue(sem_t *sem, int *value) {
    __ics_event(sem, ICS_EXCLUSIVE);
    *value = (int)((struct ics_semaphore *)sem)->value;
    return 0;
}

/* Named semaphores exist as long as this process: a name that was not created in it does not exist. */
struct named {
    struct named *next;
    char *name;
    sem_t *sem;
    unsigned opened;
    int linked;
};
static struct named *names;

/* The name without its slashes; null if there can be none with it. */
static const char *stripped(const char *name) {
    while (*name == '/') name++;
    return *name && !strchr(name, '/') && strlen(name) <= NAME_MAX - strlen("sem.") ? name : 0;
}

static struct named *find(const char *name) {
    for (struct named *n = names; n; n = n->next)
        if (n->linked && strcmp(n->name, name) == 0) return n;
    return 0;
}

static sem_t *not_opened(int error) {
    errno = error;
    return SEM_FAILED;
}

static struct named *create(const char *name, unsigned value) {
    struct named *n = malloc(sizeof *n);
    n->name = ics_text(name, strlen(name));
    n->sem = malloc(sizeof *n->sem);
    n->opened = 0;
    n->linked = 1;
    n->next = names;
    names = n;
    sem_init(n->sem, 1, value);
    return n;
}

sem_t *sem_open(const char *path, int flags, ...) {
    const char *name = stripped(path);
    if (!name) return not_opened(EINVAL);
    struct named *n = find(name);
    if (n && (flags & O_CREAT) && (flags & O_EXCL)) return not_opened(EEXIST);
    if (!n) {
        if (!(flags & O_CREAT)) return not_opened(ENOENT);
        va_list ap;
        va_start(ap, flags);
        (void)va_arg(ap, unsigned);
        unsigned value = va_arg(ap, unsigned);
        va_end(ap);
        if (value > SEM_VALUE_MAX) return not_opened(EINVAL);
        n = create(name, value);
    }
    n->opened++;
    return n->sem;
}

/* The memory stays: another thread may still be on its way out of a sem_post. */
int sem_close(sem_t *sem) {
    for (struct named *n = names; n; n = n->next) {
        if (n->sem != sem || n->opened == 0) continue;
        n->opened--;
        return 0;
    }
    return fail(EINVAL);
}

int sem_unlink(const char *path) {
    const char *name = stripped(path);
    struct named *n = name ? find(name) : 0;
    if (!n) return fail(ENOENT);
    n->linked = 0;
    return 0;
}
