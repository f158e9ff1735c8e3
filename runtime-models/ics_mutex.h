/* The mutex object, shared by mutex.c, cond.c and threads_c11.c. */
#ifndef ICS_MUTEX_H
#define ICS_MUTEX_H

#include <pthread.h>

/* Laid over glibc's struct __pthread_mutex_s: `kind` is where its static initialisers put the type. */
struct ics_mutex {
    int taken;
    unsigned count;  /* further locks of a recursive mutex by its owner */
    int owner;       /* 1 + slot while taken */
    unsigned unused;
    int kind;
};
_Static_assert(sizeof(struct ics_mutex) <= sizeof(pthread_mutex_t), "fits");
_Static_assert(offsetof(struct ics_mutex, kind) == offsetof(struct __pthread_mutex_s, __kind), "glibc's layout");

/* Blocks until the mutex is free and takes it, with one event on it. */
void ics_mutex_take(struct ics_mutex *m);
/* The checks and effects of an unlock, without the scheduling point; an errno value. */
int ics_mutex_release(struct ics_mutex *m);

#endif
