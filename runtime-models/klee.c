/* The functions of `klee/klee.h`. */
#include "ics.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "ics_thread.h"

typedef unsigned long word;

/* A value of so many bytes at any address. */
#define STORE(type, p, value) ((struct { type is; } __attribute__((packed)) *)(p))->is = (type)(value)

/* What has the size of a number is one input, so that conditions on it read well. */
void klee_make_symbolic(void *p, size_t n, const char *name) {
    if (!__ics_is_symbolic_domain()) {
        __ics_memset(p, 0, n);
        return;
    }
    switch (n) {
    case 1: STORE(uint8_t, p, __ics_input(name, 8)); return;
    case 2: STORE(uint16_t, p, __ics_input(name, 16)); return;
    case 4: STORE(uint32_t, p, __ics_input(name, 32)); return;
    case 8: STORE(uint64_t, p, __ics_input(name, 64)); return;
    default: __ics_input_bytes(p, n, name);
    }
}

int klee_range(int begin, int end, const char *name) {
    if (begin >= end) __ics_error("klee_range of an empty range");
    if (!__ics_is_symbolic_domain()) return begin;
    int value = (int)__ics_input(name, 32);
    __ics_assume((begin <= value) & (value < end));
    return value;
}

int klee_int(const char *name) {
    return __ics_is_symbolic_domain() ? (int)__ics_input(name, 32) : 0;
}

word klee_choose(word n) {
    if (!n) __ics_error("klee_choose of no values");
    if (!__ics_is_symbolic_domain()) return 0;
    word value = __ics_input("klee_choose", 64);
    __ics_assume(value < n);
    return value;
}

void klee_assume(word condition) {
    __ics_assume(condition != 0);
}

word klee_is_symbolic(word value) {
    return (word)__ics_is_symbolic(value);
}

_Noreturn void klee_report_error(const char *file, int line, const char *message, const char *suffix) {
    if (!__ics_is_symbolic_domain()) {
        fflush(0);
        fprintf(stderr, "%s:%d: %s\n", file, line, message);
    }
    __ics_assert_fail(message, file, (unsigned)line, "");
}

_Noreturn void klee_silent_exit(int status) {
    __ics_exit(status);
}

_Noreturn void klee_abort(void) {
    abort();
}

/* --- what only tells KLEE how to search or what to print --- */

void klee_prefer_cex(void *object, word condition) {
}

void klee_posix_prefer_cex(void *object, word condition) {
}

void klee_warning(const char *message) {
}

void klee_warning_once(const char *message) {
}

void klee_print_expr(const char *message, ...) {
}

void klee_print_range(const char *name, int value) {
}

void klee_mark_global(void *object) {
}

void klee_set_forking(unsigned enable) {
}

void klee_open_merge(void) {
}

void klee_close_merge(void) {
}

void klee_stack_trace(void) {
}
