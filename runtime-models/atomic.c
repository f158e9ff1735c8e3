/* Atomic operations that the compiler leaves to its support library: on structures, and on 16 bytes. As for the
 * instructions, each is a node of the schedule; nothing else runs within one. The names are builtins of the compiler
 * and can only be defined through labels. */
#include "ics.h"

#include <string.h>

typedef unsigned __int128 wide;

static void access(const void *object, int mode) {
    __ics_event(object, mode);
    __ics_yield();
}

void ics_atomic_load(size_t size, const void *from, void *to, int order) __asm__("__atomic_load");
void ics_atomic_load(size_t size, const void *from, void *to, int order) {
    access(from, ICS_SHARED);
    __ics_memmove(to, from, size);
}

void ics_atomic_store(size_t size, void *to, const void *from, int order) __asm__("__atomic_store");
void ics_atomic_store(size_t size, void *to, const void *from, int order) {
    access(to, ICS_EXCLUSIVE);
    __ics_memmove(to, from, size);
}

void ics_atomic_exchange(size_t size, void *object, const void *value, void *old, int order)
    __asm__("__atomic_exchange");
void ics_atomic_exchange(size_t size, void *object, const void *value, void *old, int order) {
    access(object, ICS_EXCLUSIVE);
    unsigned char *was = old, *now = object;
    const unsigned char *new = value;
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = new[i]; /* `old` may be `value` */
        was[i] = now[i];
        now[i] = byte;
    }
}

_Bool ics_atomic_compare_exchange(size_t size, void *object, void *expected, const void *desired, int success, int failure)
    __asm__("__atomic_compare_exchange");
_Bool ics_atomic_compare_exchange(size_t size, void *object, void *expected, const void *desired, int success,
                                  int failure) {
    access(object, ICS_EXCLUSIVE);
    int same = memcmp(object, expected, size) == 0;
    if (same) __ics_memmove(object, desired, size);
    else __ics_memmove(expected, object, size);
    return same;
}

_Bool ics_atomic_is_lock_free(size_t size, const volatile void *object) __asm__("__atomic_is_lock_free");
_Bool ics_atomic_is_lock_free(size_t size, const volatile void *object) {
    return size <= 16 && (size & (size - 1)) == 0;
}

/* --- 16 bytes --- */

wide ics_atomic_load_16(const volatile void *from, int order) __asm__("__atomic_load_16");
wide ics_atomic_load_16(const volatile void *from, int order) {
    access((const void *)from, ICS_SHARED);
    return *(const wide *)from;
}

void ics_atomic_store_16(volatile void *to, wide value, int order) __asm__("__atomic_store_16");
void ics_atomic_store_16(volatile void *to, wide value, int order) {
    access((const void *)to, ICS_EXCLUSIVE);
    *(wide *)to = value;
}

_Bool ics_atomic_compare_exchange_16(volatile void *object, void *expected, wide desired, int success, int failure)
    __asm__("__atomic_compare_exchange_16");
_Bool ics_atomic_compare_exchange_16(volatile void *object, void *expected, wide desired, int success, int failure) {
    access((const void *)object, ICS_EXCLUSIVE);
    wide *now = (wide *)object, *wanted = expected;
    int same = *now == *wanted;
    if (same) *now = desired;
    else *wanted = *now;
    return same;
}

/* The instruction, which returns the old value. */
wide __ics_compare_exchange_16(void *object, wide expected, wide desired) {
    access(object, ICS_EXCLUSIVE);
    wide old = *(wide *)object;
    if (old == expected) *(wide *)object = desired;
    return old;
}

#define UPDATE(name, update)                                                                                          \
    wide ics_atomic_##name##_16(volatile void *object, wide value, int order) __asm__("__atomic_" #name "_16");       \
    wide ics_atomic_##name##_16(volatile void *object, wide value, int order) {                                       \
        access((const void *)object, ICS_EXCLUSIVE);                                                                  \
        wide old = *(wide *)object;                                                                                   \
        *(wide *)object = update;                                                                                     \
        return old;                                                                                                   \
    }

UPDATE(exchange, value)
UPDATE(fetch_add, old + value)
UPDATE(fetch_sub, old - value)
UPDATE(fetch_and, old & value)
UPDATE(fetch_or, old | value)
UPDATE(fetch_xor, old ^ value)
UPDATE(fetch_nand, ~(old & value))
