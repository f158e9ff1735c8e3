/* Spinlocks: one int, which waits like a mutex instead of spinning. */
#include "ics.h"

#include <errno.h>
#include <pthread.h>

#include "ics_thread.h"

static int taken(pthread_spinlock_t *lock) {
    *lock = 1;
    __ics_acquire((const void *)lock);
    __ics_event((const void *)lock, ICS_EXCLUSIVE);
    return 0;
}

int pthread_spin_init(pthread_spinlock_t *lock, int shared) {
    *lock = 0;
    return 0;
}

int pthread_spin_destroy(pthread_spinlock_t *lock) {
    return 0;
}

static void known(pthread_spinlock_t *lock) {
    __ics_known(ICS_ZERO_UNLESS_HELD, (const void *)lock, (const void *)lock);
    __ics_known(ICS_SET_WHILE_WAITED_FOR, (const void *)lock, (const void *)lock);
}

int pthread_spin_lock(pthread_spinlock_t *lock) {
    known(lock);
    while (*lock) ics_wait((const void *)lock, ICS_FOREVER);
    return taken(lock);
}

int pthread_spin_trylock(pthread_spinlock_t *lock) {
    known(lock);
    if (!*lock) return taken(lock);
    __ics_event((const void *)lock, ICS_EXCLUSIVE);
    return EBUSY;
}

int pthread_spin_unlock(pthread_spinlock_t *lock) {
    __ics_event((const void *)lock, ICS_EXCLUSIVE);
    __ics_release((const void *)lock);
    *lock = 0;
    __ics_notify_all((const void *)lock);
    ics_yield();
    return 0;
}
