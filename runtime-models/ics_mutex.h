/* The mutex object, shared by mutex.c, cond.c and threads_c11.c. */
#ifndef ICS_MUTEX_H
#define ICS_MUTEX_H

#include <pthread.h>

struct ics_thread;

/* Laid over glibc's struct __pthread_mutex_s: `kind` is where its static initialisers put the type. */
struct ics_mutex {
    int taken;
    unsigned count;  /* further locks of a recursive mutex by its owner */
    struct ics_thread *owner; /* while taken */
    int kind;
    int state;       /* of a robust mutex */
    struct ics_mutex *next; /* among the robust ones of its owner */
    unsigned ceiling;
};
_Static_assert(sizeof(struct ics_mutex) <= sizeof(pthread_mutex_t), "fits");
_Static_assert(offsetof(struct ics_mutex, kind) == offsetof(struct __pthread_mutex_s, __kind), "glibc's layout");

/* Bits of `kind` beside the type; glibc's. */
#define ICS_MUTEX_TYPE 3
#define ICS_MUTEX_ROBUST 16
#define ICS_MUTEX_INHERIT 32
#define ICS_MUTEX_PROTECT 64

/* Set where all mutexes of the program are plain: then nobody need look. */
extern int __ics_plain_mutexes;
/* A macro, so that what follows is folded in the functions that ask. */
#define ICS_MUTEX_KIND(m) (__ics_plain_mutexes ? PTHREAD_MUTEX_NORMAL : (m)->kind)

/* The same where none is robust. */
extern int __ics_no_robust_mutexes;
#define ICS_IS_ROBUST(m) (!__ics_no_robust_mutexes && (ICS_MUTEX_KIND(m) & ICS_MUTEX_ROBUST))

/* Gives a new mutex the properties of an attribute; an errno value. */
int ics_mutex_apply(struct ics_mutex *m, const pthread_mutexattr_t *attr);
/* Says what is known of a mutex that nobody has touched yet. */
void ics_mutex_known(const struct ics_mutex *m);
/* Blocks until the mutex is free and takes it, with one event on it; 0 or EOWNERDEAD. */
int ics_mutex_take(struct ics_mutex *m);
/* Gives it up, with its state as it is. */
void ics_mutex_free(struct ics_mutex *m);
/* The checks and effects of an unlock, without the scheduling point; an errno value. */
int ics_mutex_release(struct ics_mutex *m);

#endif
