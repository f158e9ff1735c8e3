/* The scheduler that `cargo xtask explore-native` links with a program. See docs/testing.md for what it promises.
 *
 * One thread runs at a time: the one whose turn it is. Calls that the linker redirects to `__wrap_...` announce an
 * operation with `point()`; there the scheduler chooses who goes on. A thread that was chosen executes its operation, which
 * cannot block then, and its own code up to its next operation. That is one step.
 *
 * Nothing here is shared with icsched: mutexes and semaphores are glibc's own, which are asked before and never block. */
#ifndef EXPLORER_H
#define EXPLORER_H

#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdnoreturn.h>
#include <time.h>

#define MOST_THREADS 64
#define MOST_KEYS 128

enum kind {
#define KIND(name) name,
#include "kinds.h"
#undef KIND
};

enum operation {
#define OPERATION(name, text, kind) OP_##name,
#include "operations.h"
#undef OPERATION
    OPERATIONS
};

/* What a thread is about to do. `object` is what it is on: a mutex, a semaphore, the life of a thread, a word of memory. */
struct op {
    enum operation id;
    int size;           /* bytes of the object that say what state it is in; 0 if none do */
    void *object;
    void *second;       /* the mutex of a wait, the flag of a condition's waiter */
    const void *caller; /* return address of the call in the program */
};

/* Which way an operation goes, where there are several: as usual, its time is up, the thread is cancelled, or
 * FIRST_WAITER + N: thread N is woken. */
enum { AS_USUAL = 0, TIMED_OUT = 1, CANCELLED = 2, FIRST_WAITER = 16, MOST_VARIANTS = MOST_THREADS + FIRST_WAITER };

enum life { UNUSED, ALIVE, FINISHED, JOINED };

struct thread {
    enum life life;     /* the first member: operations on threads are on its address */
    unsigned number;
    pthread_t real;
    uint32_t system_number; /* as glibc stores it in mutexes */
    uint32_t turn;      /* a futex: 1 if the thread may run */
    struct op op;       /* what it does next, or does now */
    unsigned variant;   /* how */
    const char *stack;  /* stack pointer at that operation */
    const char *base;   /* where its stack begins: the highest address */
    const void *cond;   /* the condition variable it waits on */
    uint32_t signalled;
    uint32_t cancel_pending;
    unsigned timeouts;  /* how often its time was up while others could run */
    bool detached, joining, cancel_off, exiting, c11;
    void *(*start)(void *);
    void *argument, *result;
    const void *exit_caller;
    enum operation exit_op;
    void *values[MOST_KEYS];
};

/* xtask finds it by this name, which no program has. */
#define threads explore_native_threads
extern struct thread threads[MOST_THREADS];
extern unsigned thread_count;
extern __thread struct thread *self;

/* Of the request: see server.c. */
enum mode { SEARCH, RANDOM, ASK };
struct request {
    enum mode mode;
    uint64_t seed, most_steps, most_blocks, most_timeouts, cancels;
    uint64_t prefix_length, sleeping_length;
    const uint64_t *prefix, *sleeping;
};
extern struct request request;

/* scheduler.c */
extern uint64_t steps_taken;
unsigned point(const struct op *op);
unsigned point_at(const struct op *op, const char *stack);
noreturn void leave_for_good(void);
void give_turn_away(void);
bool is_blocked(const struct thread *thread);
void new_thread(struct thread *thread);
void hold_until_turn(struct thread *thread);
unsigned announce(enum operation id, void *object, int size, void *second, const void *caller);
enum kind kind_of(enum operation id);
extern const char *const operation_names[];
extern const char *const kind_names[];

/* accesses.c: what the current step touches. Words are addresses / 4, shifted by three bits, with these flags. */
enum { WRITES = 1, SYNCS = 2, POSTS = 4 };
void touch(const void *address, size_t bytes, unsigned flags);
unsigned accesses_of(const struct thread *thread, unsigned variant, uint64_t *out);
void begin_step(void);
void end_step(void);
void put_to_sleep(const uint64_t *entries, size_t length);
bool sleeps(const struct thread *thread, unsigned variant);

/* spin.c: threads that go round and change nothing. */
void look_for_cycle(struct thread *thread);
void cycle_touch(const void *address, size_t bytes);
void not_in_a_cycle(struct thread *thread);
void loops_for_ever(struct thread *thread);
bool goes_round(const struct thread *thread);

/* trace.c */
void put(uint64_t word);
size_t trace_length(void);
void trace_reset(void);
extern uint64_t *trace;
enum { TAG_ACCESSES = 1, TAG_STATE = 2, TAG_CHOICE = 3, TAG_END = 4 };
enum end { END_EXIT = 1, END_ABORT, END_CRASH, END_STUCK, END_CUT, END_ASLEEP, END_DIVERGED, END_STOPPED };
noreturn void end_run(enum end end, uint64_t detail, const void *caller);
bool ask(uint64_t *thread, uint64_t *variant);

/* sync.c */
bool mutex_is_free(const pthread_mutex_t *mutex, const struct thread *thread);
bool spin_is_free(const void *lock);
bool closed_to_readers(const void *lock);
bool closed_to_writers(const void *lock);
bool is_past(const void *barrier, const void *round);

/* threads.c */
bool cancel_acts(const struct thread *thread);
void start_main(int argc, char **argv, char **environment);
void reap(void);

/* memory.c */
void blocks_restart(void);
extern const char *accessing;

/* time.c */
void time_passes(const struct timespec *until);

#endif
