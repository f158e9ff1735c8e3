/* Thread control blocks, shared by the files that deal with threads. */
#ifndef ICS_THREAD_H
#define ICS_THREAD_H

#include "ics.h"

#define ICS_MAX_THREADS 1024
/* What sysconf and the processor sets say. */
#define ICS_PROCESSORS 4

enum ics_thread_state { ICS_FREE, ICS_RUNNING, ICS_DONE };

/* One thread. Its address is the queue that joiners wait on and the object that its create, exit and join events are
 * ordered on. */
struct ics_thread {
    unsigned char state;
    unsigned char detached;
    unsigned char joined;         /* somebody waits for it */
    unsigned char cancel_off;     /* PTHREAD_CANCEL_DISABLE */
    unsigned char cancel_pending;
    unsigned char exiting;        /* runs its cleanup: cancellation has no effect any more */
    unsigned char waiting;        /* blocked at a cancellation point */
    unsigned char c11;            /* `start` returns int */
    unsigned char cancel_async;
    int joiner;                   /* slot of the joiner, if joined */
    void *(*start)(void *);
    void *arg;
    void *result;
};

extern struct ics_thread __ics_threads[ICS_MAX_THREADS];
/* Threads that may still run beside each other; 0 before the first pthread_create. Joined ones are taken out; detached
 * ones never are, because nothing orders their end before what others do. */
extern unsigned ics_concurrent;

/* The control block of the calling thread. */
static inline struct ics_thread *ics_self(void) {
    return &__ics_threads[__ics_thread_self()];
}
/* The living or joinable thread with this handle, or null. Handles are 1 + the slot. */
struct ics_thread *ics_find_thread(unsigned long handle);
/* Starts a thread; an errno value. */
int ics_start_thread(unsigned long *handle, void *(*start)(void *), void *arg, int detached, int c11);

/* Blocks on a queue at a cancellation point; does not return if the thread is cancelled. */
void ics_wait_cancellable(const void *queue);
/* The same with a timeout; 1 if it timed out. */
int ics_wait_timed_cancellable(const void *queue);
/* Acts on a pending cancellation. */
void ics_cancellation_point(void);
/* Ends the path as unsupported if the thread is inside pthread_cleanup_push. */
void ics_check_no_cleanup(void);
/* Whether the next cancellation point of the thread would act. */
int ics_cancel_pending(void);
/* Runs the calling thread's key destructors. */
void ics_run_key_destructors(void);

#endif
