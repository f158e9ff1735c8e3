/* pthread_once: the thread that runs the routine has exclusive events, all others shared ones after its end. */
#include "ics.h"

#include <pthread.h>

#include "ics_thread.h"

enum { NEW, RUNNING, DONE };

/* A routine that the thread is running; one inside another if it calls pthread_once itself. */
struct ics_once {
    pthread_once_t *object;
    struct ics_once *outer;
};

static void becomes(pthread_once_t *once, int state) {
    *once = state;
    __ics_event(once, ICS_EXCLUSIVE);
    __ics_notify_all(once);
}

void ics_abandon_onces(struct ics_thread *t) {
    for (; t->once; t->once = t->once->outer) becomes(t->once->object, NEW);
}

int pthread_once(pthread_once_t *once, void (*routine)(void)) {
    while (*once == RUNNING) ics_wait(once, ICS_FOREVER);
    if (*once == DONE) {
        __ics_event(once, ICS_SHARED);
        return 0;
    }
    struct ics_thread *t = ics_self();
    struct ics_once this = {once, t->once};
    *once = RUNNING;
    __ics_event(once, ICS_EXCLUSIVE);
    t->once = &this;
    routine();
    t->once = this.outer;
    becomes(once, DONE);
    ics_yield();
    return 0;
}
