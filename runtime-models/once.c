/* pthread_once: the thread that runs the routine has exclusive events, all others shared ones after its end. */
#include "ics.h"

#include <pthread.h>

enum { NEW, RUNNING, DONE };

int pthread_once(pthread_once_t *once, void (*routine)(void)) {
    while (*once == RUNNING) __ics_wait(once);
    if (*once == DONE) {
        __ics_event(once, ICS_SHARED);
        return 0;
    }
    *once = RUNNING;
    __ics_event(once, ICS_EXCLUSIVE);
    routine();
    *once = DONE;
    __ics_event(once, ICS_EXCLUSIVE);
    __ics_notify_all(once);
    __ics_yield();
    return 0;
}
