/* Who goes on. Choices are made by the thread whose turn it is, when it comes to its next operation. */
#include "explorer.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* How long a thread goes on by default while others could, so that polling does not starve them. */
#define LONGEST_TURN 24
/* How long the end of the process is put off by default while other threads can run. */
#define LONGEST_WAIT_FOR_END 400

struct thread threads[MOST_THREADS];
unsigned thread_count;
__thread struct thread *self;

const char *const operation_names[] = {
#define OPERATION(name, text, kind) text,
#include "operations.h"
#undef OPERATION
    0,
};

const char *const kind_names[] = {
#define KIND(name) #name,
#include "kinds.h"
#undef KIND
    0,
};

static const enum kind kinds[] = {
#define OPERATION(name, text, kind) kind,
#include "operations.h"
#undef OPERATION
};

uint64_t steps_taken;
static unsigned turn_length, end_waits;
struct thread *current;

enum kind kind_of(enum operation id) {
    return kinds[id];
}

/* --- what can be done --- */

/* Ways a thread can go on, one bit each. */
struct ways {
    bool usual, time_up, cancelled;
    unsigned waiters; /* so many that a signal may wake */
};

static bool is_waiter(const struct thread *t, const void *cond) {
    return t->life == ALIVE && t->cond == cond && !t->signalled;
}

static unsigned waiters_of(const void *cond) {
    unsigned count = 0;
    for (unsigned i = 0; i < thread_count; i++) count += is_waiter(&threads[i], cond);
    return count;
}

static struct ways of_wait(const struct thread *t) {
    bool is_free = mutex_is_free(t->op.second, t);
    bool timed = t->op.id != OP_cond_wait_wake && t->op.id != OP_cnd_wait_wake;
    return (struct ways){.usual = t->signalled && is_free, .time_up = timed && !t->signalled,
                         .cancelled = cancel_acts(t) && is_free};
}

static struct ways lock_like(bool is_free, bool timed) {
    return (struct ways){.usual = is_free, .time_up = timed && !is_free};
}

/* The ways of a thread's next operation, whether or not its time may be up now. */
static struct ways ways_of(const struct thread *t) {
    void *object = t->op.object;
    struct ways ways = {.usual = true};
    switch (kind_of(t->op.id)) {
    case LOCK: case RELOCK: return lock_like(mutex_is_free(object, t), false);
    case TIMEDLOCK: return lock_like(mutex_is_free(object, t), true);
    case WAKE: return of_wait(t);
    case SIGNAL: ways.waiters = waiters_of(object); return ways;
    case SEM_WAIT: case SEM_TIMEDWAIT: {
        ways = lock_like(*(volatile unsigned *)object != 0, kind_of(t->op.id) == SEM_TIMEDWAIT);
        ways.cancelled = !ways.usual && cancel_acts(t);
        return ways;
    }
    case JOIN: case TIMEDJOIN: {
        const struct thread *target = object;
        ways = lock_like(target->life == FINISHED, kind_of(t->op.id) == TIMEDJOIN);
        ways.cancelled = !ways.usual && cancel_acts(t);
        return ways;
    }
    case LEAVE: return lock_like(is_past(object, t->op.second), false);
    case RDLOCK: return lock_like(!closed_to_readers(object), false);
    case TIMEDRDLOCK: return lock_like(!closed_to_readers(object), true);
    case WRLOCK: return lock_like(!closed_to_writers(object), false);
    case TIMEDWRLOCK: return lock_like(!closed_to_writers(object), true);
    case SPIN_LOCK: return lock_like(spin_is_free(object), false);
    case ONCE: return lock_like(*(volatile int *)object != 1, false);
    default: return ways;
    }
}

bool is_blocked(const struct thread *t) {
    struct ways ways = ways_of(t);
    return !ways.usual && !ways.cancelled;
}

struct choice {
    struct thread *thread;
    unsigned variant;
};
static struct choice choices[MOST_THREADS * 4];
static unsigned choice_count;

static void add(struct thread *t, unsigned variant) {
    if (choice_count < sizeof choices / sizeof *choices) choices[choice_count++] = (struct choice){t, variant};
}

static void add_ways(struct thread *t, struct ways ways, bool may_time_out) {
    if (ways.usual && ways.waiters == 0) add(t, AS_USUAL);
    if (ways.usual && ways.waiters)
        for (unsigned i = 0; i < thread_count; i++)
            if (is_waiter(&threads[i], t->op.object)) add(t, FIRST_WAITER + i);
    if (ways.cancelled) add(t, CANCELLED);
    if (ways.time_up && may_time_out) add(t, TIMED_OUT);
}

/* Fills `choices`; whether a time-out was left out that is possible. */
static bool find_choices(void) {
    bool left_out = false;
    choice_count = 0;
    for (unsigned i = 0; i < thread_count; i++) {
        struct thread *t = &threads[i];
        if (t->life != ALIVE || goes_round(t)) continue;
        struct ways ways = ways_of(t);
        bool may = t->timeouts < request.most_timeouts;
        add_ways(t, ways, may);
        left_out |= ways.time_up && !may;
    }
    if (choice_count || !left_out) return left_out;
    for (unsigned i = 0; i < thread_count; i++)
        if (threads[i].life == ALIVE && !goes_round(&threads[i])) add_ways(&threads[i], ways_of(&threads[i]), true);
    return false;
}

/* --- telling --- */

static void tell_variant(const struct thread *t, unsigned variant) {
    uint64_t words[MOST_VARIANTS + 8];
    unsigned count = accesses_of(t, variant, words);
    put(variant);
    put(count);
    for (unsigned i = 0; i < count; i++) put(words[i]);
}

static void tell_thread(const struct thread *t) {
    unsigned first = 0, count = 0;
    while (first < choice_count && choices[first].thread != t) first++;
    while (first + count < choice_count && choices[first + count].thread == t) count++;
    put(t->number);
    put(t->op.id);
    /* Who was woken waits for the mutex. */
    put((uint64_t)(kind_of(t->op.id) == WAKE && t->signalled ? t->op.second : t->op.object));
    put((uint64_t)t->op.second);
    put((uint64_t)t->op.caller);
    put(goes_round(t));
    put(count);
    for (unsigned i = first; i < first + count; i++) tell_variant(t, choices[i].variant);
    if (count == 0) tell_variant(t, AS_USUAL);
}

static void tell_state(bool left_out) {
    unsigned alive = 0;
    for (unsigned i = 0; i < thread_count; i++) alive += threads[i].life == ALIVE;
    put(TAG_STATE);
    put(left_out);
    put(alive);
    for (unsigned i = 0; i < thread_count; i++)
        if (threads[i].life == ALIVE) tell_thread(&threads[i]);
}

/* --- choosing --- */

static bool is_end(const struct thread *t) {
    return kind_of(t->op.id) == PROCESS_EXIT || kind_of(t->op.id) == ABORT;
}

/* How good a choice is by default: threads go on for a while, then the others get their turn, ends come last. */
static unsigned rank(const struct choice *choice) {
    const struct thread *t = choice->thread;
    unsigned distance = current ? (t->number + MOST_THREADS - current->number) % MOST_THREADS : t->number;
    if (distance == 0 && turn_length >= LONGEST_TURN) distance = MOST_THREADS;
    if (is_end(t) && end_waits < LONGEST_WAIT_FOR_END) distance += 4 * MOST_THREADS;
    if (choice->variant == TIMED_OUT) distance += 2 * MOST_THREADS;
    return distance;
}

static struct choice *by_default(void) {
    struct choice *best = 0;
    for (unsigned i = 0; i < choice_count; i++) {
        if (sleeps(choices[i].thread, choices[i].variant)) continue;
        if (!best || rank(&choices[i]) < rank(best)) best = &choices[i];
    }
    if (!best) end_run(END_ASLEEP, 0, 0);
    return best;
}

static struct choice *find(uint64_t thread, uint64_t variant) {
    for (unsigned i = 0; i < choice_count; i++)
        if (choices[i].thread->number == thread && choices[i].variant == variant) return &choices[i];
    end_run(END_DIVERGED, steps_taken, 0);
}

/* xorshift (Marsaglia 2003). */
static uint64_t random_number(void) {
    static uint64_t state;
    if (state == 0) state = request.seed * 0x9e3779b97f4a7c15ull | 1;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static struct choice *choose(void) {
    if (choice_count == 0) end_run(END_STUCK, 0, 0);
    if (steps_taken >= request.most_steps) end_run(END_CUT, steps_taken, 0);
    if (steps_taken < request.prefix_length) {
        uint64_t word = request.prefix[steps_taken];
        return find(word & 0xffffffff, word >> 32);
    }
    if (request.mode == RANDOM) return &choices[random_number() % choice_count];
    if (request.mode == SEARCH) return by_default();
    uint64_t thread, variant;
    if (!ask(&thread, &variant)) end_run(END_STOPPED, 0, 0);
    return find(thread, variant);
}

/* Chooses who goes on, and begins that thread's step. */
static struct thread *next(void) {
    end_step();
    bool left_out = find_choices();
    tell_state(left_out);
    struct choice *choice = choose();
    struct thread *t = choice->thread;
    put(TAG_CHOICE);
    put(t->number);
    put(choice->variant);
    turn_length = t == current ? turn_length + 1 : 0;
    for (unsigned i = 0; i < thread_count; i++) end_waits += threads[i].life == ALIVE && is_end(&threads[i]);
    if (choice->variant == TIMED_OUT && choice_count > 1) t->timeouts++;
    current = t;
    t->variant = choice->variant;
    begin_step();
    uint64_t words[MOST_VARIANTS + 8];
    unsigned count = accesses_of(t, t->variant, words);
    for (unsigned i = 0; i < count; i++) touch((void *)((words[i] >> 3) << 2), 1, words[i] & 7);
    if (steps_taken + 1 == request.prefix_length || (steps_taken == 0 && request.prefix_length == 0))
        put_to_sleep(request.sleeping, request.sleeping_length);
    steps_taken++;
    return t;
}

/* --- turns --- */

static long futex(uint32_t *word, int operation, uint32_t value) {
    return syscall(SYS_futex, word, operation, value, 0, 0, 0);
}

void hold_until_turn(struct thread *t) {
    while (!__atomic_load_n(&t->turn, __ATOMIC_ACQUIRE)) futex(&t->turn, FUTEX_WAIT_PRIVATE, 0);
    t->turn = 0;
    reap();
}

static void give_turn_to(struct thread *t) {
    __atomic_store_n(&t->turn, 1, __ATOMIC_RELEASE);
    futex(&t->turn, FUTEX_WAKE_PRIVATE, 1);
}

unsigned point_at(const struct op *op, const char *stack) {
    struct thread *t = self;
    t->op = *op;
    t->stack = stack;
    if (kind_of(op->id) == ENDLESS) loops_for_ever(t);
    else look_for_cycle(t);
    struct thread *chosen = next();
    if (chosen != t) {
        give_turn_to(chosen);
        hold_until_turn(t);
    }
    if (t->op.size) cycle_touch(t->op.object, (size_t)t->op.size);
    blocks_restart();
    return t->variant;
}

void leave_for_good(void) {
    struct thread *chosen = next();
    give_turn_to(chosen);
    for (;;) pause();
}

/* The last step of a thread whose system thread ends: gives the turn away and returns. */
void give_turn_away(void) {
    give_turn_to(next());
}

void new_thread(struct thread *t) {
    t->number = thread_count++;
    t->life = ALIVE;
    t->op = (struct op){.id = OP_thread_start, .object = &t->life};
}

unsigned announce(enum operation id, void *object, int size, void *second, const void *caller) {
    struct op op = {.id = id, .size = size, .object = object, .second = second, .caller = caller};
    return point(&op);
}

/* unsigned point(const struct op *op): saves the registers that calls preserve on the stack, so that what the thread knows
 * is all between there and the stack's beginning. */
#ifdef __x86_64__
__asm__(".text\n.globl point\n.type point, @function\npoint:\n"
        ".cfi_startproc\n"
        "push %rbx\n.cfi_adjust_cfa_offset 8\n"
        "push %rbp\n.cfi_adjust_cfa_offset 8\n"
        "push %r12\n.cfi_adjust_cfa_offset 8\n"
        "push %r13\n.cfi_adjust_cfa_offset 8\n"
        "push %r14\n.cfi_adjust_cfa_offset 8\n"
        "push %r15\n.cfi_adjust_cfa_offset 8\n"
        "sub $8, %rsp\n.cfi_adjust_cfa_offset 8\n"
        "movq $0, (%rsp)\n"
        "mov %rsp, %rsi\n"
        "call point_at\n"
        "add $8, %rsp\n.cfi_adjust_cfa_offset -8\n"
        "pop %r15\n.cfi_adjust_cfa_offset -8\n"
        "pop %r14\n.cfi_adjust_cfa_offset -8\n"
        "pop %r13\n.cfi_adjust_cfa_offset -8\n"
        "pop %r12\n.cfi_adjust_cfa_offset -8\n"
        "pop %rbp\n.cfi_adjust_cfa_offset -8\n"
        "pop %rbx\n.cfi_adjust_cfa_offset -8\n"
        "ret\n.cfi_endproc\n.size point, .-point\n");
#else
/* Elsewhere cycles are not looked for. */
unsigned point(const struct op *op) {
    return point_at(op, 0);
}
#endif
