/*
 * Atomic sections of verification suites: what one thread does in one is in order with every other SECTION-> A section
 * is a lock that one thread may take several times; the frontend has functions `__VERIFIER_atomic_...` take it, too.
 * Who waits inside of a section is outside of it meanwhile: else nobody could do what is waited for.
 */
#include "ics.h"

#include <pthread.h>

#include "ics_thread.h"

int ics_sections;

struct section {
    int taken;
    unsigned nested; /* sections of the owner within its first one */
    struct ics_thread *owner;
};

/* A type of the library, so that schedules name it as a whole. */
static pthread_mutex_t lock __asm__("__VERIFIER_atomic");
_Static_assert(sizeof(struct section) <= sizeof lock, "fits");

#define SECTION ((struct section *)&lock)

static int is_inside(void) {
    __ics_known(ICS_ZERO_UNLESS_HELD, &SECTION->taken, &lock);
    __ics_known(ICS_SET_WHILE_WAITED_FOR, &SECTION->taken, &lock);
    if (!SECTION->taken) return 0;
    __ics_known(ICS_HOLDER, &SECTION->owner, &lock);
    return SECTION->owner == ics_self();
}

static void enter(void) {
    while (SECTION->taken) __ics_wait(&lock);
    SECTION->taken = 1;
    SECTION->owner = ics_self();
    SECTION->nested = 0;
    __ics_acquire(&lock);
    __ics_event(&lock, ICS_EXCLUSIVE);
}

/* Each section within another one is one more hold of the lock. */
static void nest(void) {
    __ics_known(ICS_COUNTS_HOLDS, &SECTION->nested, &lock);
    SECTION->nested++;
    __ics_acquire(&lock);
}

static int unnest(void) {
    __ics_known(ICS_COUNTS_HOLDS, &SECTION->nested, &lock);
    if (!SECTION->nested) return 0;
    SECTION->nested--;
    __ics_release(&lock);
    return 1;
}

static void leave(void) {
    __ics_event(&lock, ICS_EXCLUSIVE);
    __ics_release(&lock);
    SECTION->taken = 0;
    SECTION->owner = 0;
    __ics_notify_all(&lock);
}

unsigned ics_leave_sections(void) {
    unsigned left = 1;
    if (!is_inside()) return 0;
    while (unnest()) left++;
    leave();
    return left;
}

void ics_return_to_sections(unsigned left) {
    if (!left) return;
    is_inside();
    enter();
    while (--left) nest();
}

void __VERIFIER_atomic_begin(void) {
    ics_sections = 1;
    if (is_inside()) nest();
    else enter();
}

/* An end without a beginning has no effect. */
void __VERIFIER_atomic_end(void) {
    if (!is_inside()) {
        __ics_not_held(&lock);
        return;
    }
    if (unnest()) return;
    leave();
    ics_yield();
}

void __ESBMC_atomic_begin(void) {
    __VERIFIER_atomic_begin();
}

void __ESBMC_atomic_end(void) {
    __VERIFIER_atomic_end();
}

void __CPROVER_atomic_begin(void) {
    __VERIFIER_atomic_begin();
}

void __CPROVER_atomic_end(void) {
    __VERIFIER_atomic_end();
}
