/* What programs of verification suites ask of a verifier: assumptions, assertions, errors, values without a cause.
 * Parameters are as wide as registers, since each program declares these functions in its own way. */
#include "ics.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "ics_thread.h"

typedef unsigned long word;

/* Every call of an undefined `__VERIFIER_nondet_TYPE` or `nondet_TYPE` becomes a call of this one. */
word ics_nondet(const char *name, unsigned bits) {
    if (!__ics_is_symbolic_domain()) return 0;
    return __ics_input(name, bits);
}

static _Noreturn void fail(const char *what) {
    if (!__ics_is_symbolic_domain()) {
        fflush(0);
        fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
    }
    __ics_assert_fail(what, "", 0, "");
}

/* --- assumptions --- */

void __VERIFIER_assume(word condition) {
    __ics_assume(condition != 0);
}

void __ESBMC_assume(word condition) {
    __ics_assume(condition != 0);
}

void __CPROVER_assume(word condition) {
    __ics_assume(condition != 0);
}

/* --- assertions --- */

void __VERIFIER_assert(word condition) {
    if (!condition) fail("__VERIFIER_assert");
}

void __ESBMC_assert(word condition, const char *what) {
    if (!condition) fail(what);
}

void __CPROVER_assert(word condition, const char *what) {
    if (!condition) fail(what);
}

/* A program that calls `assert` and does not include <assert.h>, where it is a macro. */
void assert(word condition) {
    if (!condition) fail("assert");
}

_Noreturn void __VERIFIER_error(void) {
    fail("__VERIFIER_error() was called");
}

_Noreturn void reach_error(void) {
    fail("reach_error() was called");
}

/* --- memory and threads --- */

void __VERIFIER_nondet_memory(void *p, size_t n) {
    if (__ics_is_symbolic_domain()) __ics_input_bytes(p, n, "nondet_memory");
    else __ics_memset(p, 0, n);
}

void __ESBMC_yield(void) {
    ics_pause();
}
