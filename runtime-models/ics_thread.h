/* Thread control blocks, shared by the files that deal with threads. */
#ifndef ICS_THREAD_H
#define ICS_THREAD_H

#include "ics.h"

#include <pthread.h>
#include <time.h>

#define ICS_MAX_THREADS 1024
/* The slot of the hidden thread that waits for timers. */
#define ICS_TIMER_SLOT ICS_MAX_THREADS
/* What sysconf and the processor sets say. */
#define ICS_PROCESSORS 4

/* Who is gone but counts as the owner of some lock is no other thread later. */
enum ics_thread_state { ICS_FREE, ICS_RUNNING, ICS_DONE, ICS_OWNER_GONE };

/* One thread. Its address is the queue that joiners wait on and the object that its create, exit and join events are
 * ordered on. */
struct ics_thread {
    unsigned char state;
    unsigned detached;
    unsigned joined;              /* somebody waits for it */
    unsigned char cancel_off;     /* PTHREAD_CANCEL_DISABLE */
    unsigned char cancel_pending;
    unsigned char exiting;        /* runs its cleanup: cancellation has no effect any more */
    unsigned char waiting;        /* blocked at a cancellation point */
    unsigned char c11;            /* `start` returns int */
    unsigned char cancel_async;
    unsigned char policy;         /* SCHED_OTHER, ... */
    unsigned char kicked;         /* a signal took it out of its wait queue */
    int priority;
    unsigned owned;               /* locks that name it as their owner */
    void *(*start)(void *);
    void *arg;
    void *result;
    /* Signals, each as the bit of its number less one. */
    unsigned long pending;
    unsigned long blocked;
    unsigned long awaited;        /* by sigwait */
    unsigned long of_process;     /* those of the pending that were sent to the process */
    struct ics_mutex *robust;     /* the robust mutexes that it holds */
    struct ics_once *once;        /* the routine of pthread_once that it runs */
    void *stack_address;          /* as its attributes said */
    size_t stack_size;
    size_t guard_size;
    char name[16];
};

extern struct ics_thread __ics_threads[ICS_MAX_THREADS + 1];
/* Threads that may still run beside each other; 0 before the first pthread_create. Joined ones are taken out; detached
 * ones never are, because nothing orders their end before what others do. */
extern unsigned ics_concurrent;

/* The calling thread has become, or is no longer, the owner of a lock that asks for it. */
void ics_owns(void);
void ics_owns_no_more(void);
/* The control block of the calling thread. */
static inline struct ics_thread *ics_self(void) {
    return &__ics_threads[__ics_thread_self()];
}
/* Whether no handle means it any more. */
static inline int ics_is_gone(const struct ics_thread *t) {
    return t->state == ICS_FREE || t->state == ICS_OWNER_GONE;
}
/* The living or joinable thread with this handle, or null. Handles are the addresses of control blocks. */
struct ics_thread *ics_find_thread(unsigned long handle);
/* Starts a thread with these attributes (none: null); an errno value. */
int ics_start_thread(unsigned long *handle, const pthread_attr_t *attr, void *(*start)(void *), void *arg, int c11);
/* Applies attributes to a new thread of `creator`. */
void ics_apply_attributes(struct ics_thread *t, const pthread_attr_t *attr, const struct ics_thread *creator);

/* What a wait comes back with. */
enum ics_woken {
    ICS_NOTIFIED,     /* or cancelled */
    ICS_TIMED_OUT,
    ICS_INTERRUPTED,  /* a signal handler has run; EINTR, if the function knows it */
    ICS_RESTART,      /* the same, but its action says SA_RESTART */
};
/* Deadlines that are no times: when nothing else can happen, and never. */
#define ICS_WHEN_STUCK (~0ul)
#define ICS_FOREVER (~0ul - 1)

/* The deadline on the run's clock of a time on a clock of the program; ICS_WHEN_STUCK in the symbolic domain. */
unsigned long ics_deadline(int clock, const struct timespec *time);
/* The deadline that is this far away. */
unsigned long ics_deadline_after(const struct timespec *duration);
/* Whether the nanoseconds are in range. */
int ics_valid_time(const struct timespec *time);

/* Blocks on a queue until notified or until the deadline. */
enum ics_woken ics_wait(const void *queue, unsigned long deadline);
/* The same at a cancellation point; does not return if the thread is cancelled. */
enum ics_woken ics_wait_cancellable(const void *queue, unsigned long deadline);
/* Whether any thread has come to an atomic section. */
extern int ics_sections;
/* Has the calling thread leave the atomic sections that it is in; how many these are. */
unsigned ics_leave_sections(void);
/* Has it enter so many. */
void ics_return_to_sections(unsigned left);
/* Scheduling points, behind which the thread's signals are dealt with. */
void ics_yield(void);
void ics_pause(void);
/* Whether any thread may have a signal to deal with. */
extern int ics_signalled;
/* Whether a wait ended because a signal handler has run. Where no signal is sent it is plain that none has. */
static inline int ics_interrupted(enum ics_woken woken) {
    return ics_signalled && woken == ICS_INTERRUPTED;
}
/* Deals with the calling thread's signals; whether a handler ran, and how. */
enum ics_woken ics_handle_signals(void);
/* What a thread inherits from its creator. */
void ics_inherit_signals(struct ics_thread *child);
/* Signals of the process that a thread that ends had not dealt with go to another one. */
void ics_pass_signals_on(struct ics_thread *t);
/* The routines of pthread_once that a thread that ends was running count as not run. */
void ics_abandon_onces(struct ics_thread *t);
/* The robust mutexes of a thread that ends get the state of an owner's death. */
void ics_abandon_mutexes(struct ics_thread *t);
/* Acts on a pending cancellation. */
void ics_cancellation_point(void);
/* Runs the calling thread's cleanup handlers; does not return where one has to be jumped to, which then calls
 * ics_end_thread. */
void ics_run_cleanups(void);
/* Runs what is to run at the end of the calling thread, and ends it; its result is set. */
_Noreturn void ics_end_thread(void);
/* Whether the next cancellation point of the thread would act. */
int ics_cancel_pending(void);
/* Runs the calling thread's key destructors. */
void ics_run_key_destructors(void);

#endif
