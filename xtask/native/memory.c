/* What the compiler puts into the program (-fsanitize=thread, -fsanitize-coverage=trace-pc): calls at each access of memory,
 * for each atomic operation, and in each basic block. No library of the sanitizers is linked. */
#include "explorer.h"

#include <stdlib.h>
#include <string.h>

#define CALLER __builtin_return_address(0)

/* --- basic blocks: a thread that executes too many between two operations loops for ever --- */

static uint64_t blocks;

void blocks_restart(void) {
    blocks = 0;
}

static void __attribute__((noinline)) too_many(const void *caller) {
    if (!self) return;
    struct op op = {.id = OP_endless_loop, .caller = caller};
    point_at(&op, __builtin_frame_address(0));
}

void __sanitizer_cov_trace_pc(void) {
    if (++blocks <= request.most_blocks) return;
    blocks = 0;
    too_many(CALLER);
}

/* --- plain accesses --- */

/* Where the program accesses memory while the scheduler looks at it, which may be the first to see that there is none. */
const char *accessing;

static void access_from(const void *address, size_t bytes, unsigned flags, const void *caller) {
    static const void *last;
    static unsigned last_flags;
    static uint64_t last_step;
    if (!self) return;
    if (address == last && flags == last_flags && bytes <= 4 && steps_taken == last_step) return;
    last = address;
    last_flags = flags;
    last_step = steps_taken;
    accessing = (const char *)caller - 1;
    touch(address, bytes, flags);
    cycle_touch(address, bytes);
    accessing = 0;
}

#define access(address, bytes, flags) access_from(address, bytes, flags, CALLER)

#define PLAIN(bytes)                                                                                                       \
    void __tsan_read##bytes(void *p) { access(p, bytes, 0); }                                                              \
    void __tsan_write##bytes(void *p) { access(p, bytes, WRITES); }                                                        \
    void __tsan_unaligned_read##bytes(void *p) { access(p, bytes, 0); }                                                    \
    void __tsan_unaligned_write##bytes(void *p) { access(p, bytes, WRITES); }                                              \
    void __tsan_read_write##bytes(void *p) { access(p, bytes, WRITES); }                                                   \
    void __tsan_unaligned_read_write##bytes(void *p) { access(p, bytes, WRITES); }
PLAIN(1) PLAIN(2) PLAIN(4) PLAIN(8) PLAIN(16)

void __tsan_read_range(void *p, size_t bytes) { access(p, bytes, 0); }
void __tsan_write_range(void *p, size_t bytes) { access(p, bytes, WRITES); }
void __tsan_init(void) {}
void __tsan_func_entry(void *pc) { (void)pc; }
void __tsan_func_exit(void) {}

void *__real_memcpy(void *to, const void *from, size_t bytes);
void *__real_memmove(void *to, const void *from, size_t bytes);
void *__real_memset(void *to, int byte, size_t bytes);

void *__tsan_memcpy(void *to, const void *from, size_t bytes) {
    access(from, bytes, 0);
    access(to, bytes, WRITES);
    return __real_memcpy(to, from, bytes);
}

void *__tsan_memmove(void *to, const void *from, size_t bytes) {
    access(from, bytes, 0);
    access(to, bytes, WRITES);
    return __real_memmove(to, from, bytes);
}

void *__tsan_memset(void *to, int byte, size_t bytes) {
    access(to, bytes, WRITES);
    return __real_memset(to, byte, bytes);
}

void *__wrap_memcpy(void *to, const void *from, size_t bytes) { return __tsan_memcpy(to, from, bytes); }
void *__wrap_memmove(void *to, const void *from, size_t bytes) { return __tsan_memmove(to, from, bytes); }
void *__wrap_memset(void *to, int byte, size_t bytes) { return __tsan_memset(to, byte, bytes); }

/* --- the heap: what was freed is not used again, so that the same address is the same object; but for very much --- */

#define MOST_KEPT (256ul << 20)

size_t malloc_usable_size(void *p);
void __real_free(void *p);
void __wrap_free(void *p) {
    static size_t kept;
    if (self && p && kept + malloc_usable_size(p) < MOST_KEPT) kept += malloc_usable_size(p);
    else __real_free(p);
}

/* --- volatile accesses: nothing orders them, but threads wait for each other with them --- */

#define VOLATILE(bytes)                                                                                                    \
    void __tsan_volatile_read##bytes(void *p) { if (self) announce(OP_volatile_read, p, bytes, 0, CALLER); }               \
    void __tsan_volatile_write##bytes(void *p) { if (self) announce(OP_volatile_write, p, bytes, 0, CALLER); }             \
    void __tsan_unaligned_volatile_read##bytes(void *p) { if (self) announce(OP_volatile_read, p, bytes, 0, CALLER); }     \
    void __tsan_unaligned_volatile_write##bytes(void *p) { if (self) announce(OP_volatile_write, p, bytes, 0, CALLER); }
VOLATILE(1) VOLATILE(2) VOLATILE(4) VOLATILE(8) VOLATILE(16)

/* --- atomic operations, each as if all threads saw it at once --- */

static void atomic(enum operation id, volatile void *p, int bytes, const void *caller) {
    if (self) announce(id, (void *)p, bytes, 0, caller);
}

#define UPDATE(bits, type, name, value)                                                                                    \
    type __tsan_atomic##bits##_##name(volatile type *p, type v, int order) {                                               \
        (void)order;                                                                                                       \
        atomic(OP_atomic_update, p, sizeof *p, CALLER);                                                                    \
        type old = *p;                                                                                                     \
        *p = (type)(value);                                                                                                \
        return old;                                                                                                        \
    }

#define ATOMIC(bits, type)                                                                                                 \
    type __tsan_atomic##bits##_load(const volatile type *p, int order) {                                                   \
        (void)order;                                                                                                       \
        atomic(OP_atomic_load, (volatile type *)p, sizeof *p, CALLER);                                                     \
        return *p;                                                                                                         \
    }                                                                                                                      \
    void __tsan_atomic##bits##_store(volatile type *p, type v, int order) {                                                \
        (void)order;                                                                                                       \
        atomic(OP_atomic_store, p, sizeof *p, CALLER);                                                                     \
        *p = v;                                                                                                            \
    }                                                                                                                      \
    UPDATE(bits, type, exchange, v)                                                                                        \
    UPDATE(bits, type, fetch_add, old + v)                                                                                 \
    UPDATE(bits, type, fetch_sub, old - v)                                                                                 \
    UPDATE(bits, type, fetch_and, old & v)                                                                                 \
    UPDATE(bits, type, fetch_or, old | v)                                                                                  \
    UPDATE(bits, type, fetch_xor, old ^ v)                                                                                 \
    UPDATE(bits, type, fetch_nand, ~(old & v))                                                                             \
    static int compare##bits(volatile type *p, type *expected, type v, const void *caller) {                               \
        atomic(OP_atomic_compare_exchange, p, sizeof *p, caller);                                                          \
        type old = *p;                                                                                                     \
        if (old == *expected) {                                                                                            \
            *p = v;                                                                                                        \
            return 1;                                                                                                      \
        }                                                                                                                  \
        *expected = old;                                                                                                   \
        return 0;                                                                                                          \
    }                                                                                                                      \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile type *p, type *c, type v, int order, int failure) {         \
        (void)order, (void)failure;                                                                                        \
        return compare##bits(p, c, v, CALLER);                                                                             \
    }                                                                                                                      \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile type *p, type *c, type v, int order, int failure) {           \
        (void)order, (void)failure;                                                                                        \
        return compare##bits(p, c, v, CALLER);                                                                             \
    }                                                                                                                      \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type c, type v, int order, int failure) {            \
        (void)order, (void)failure;                                                                                        \
        compare##bits(p, &c, v, CALLER);                                                                                   \
        return c;                                                                                                          \
    }

ATOMIC(8, uint8_t) ATOMIC(16, uint16_t) ATOMIC(32, uint32_t) ATOMIC(64, uint64_t)
#ifdef __SIZEOF_INT128__
ATOMIC(128, unsigned __int128)
#endif

void __tsan_atomic_thread_fence(int order) { (void)order; }
void __tsan_atomic_signal_fence(int order) { (void)order; }
