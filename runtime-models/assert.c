/* Failing assertions and checks that compilers insert. The message goes to standard error as glibc writes it. */
#include "ics.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char *program_invocation_short_name;

void __assert_fail(const char *expression, const char *file, unsigned line, const char *function) {
    if (!__ics_is_symbolic_domain()) {
        fflush(0);
        fprintf(stderr, "%s: %s:%u: %s%sAssertion `%s' failed.\n", program_invocation_short_name, file, line,
                function ? function : "", function ? ": " : "", expression);
    }
    __ics_assert_fail(expression, file, line, function);
}

void __assert(const char *expression, const char *file, int line) {
    __assert_fail(expression, file, (unsigned)line, 0);
}

void __assert_perror_fail(int error, const char *file, unsigned line, const char *function) {
    __assert_fail(strerror(error), file, line, function);
}

_Noreturn void __stack_chk_fail(void) {
    __ics_error("stack smashing detected");
}

_Noreturn void __chk_fail(void) {
    __ics_error("buffer overflow detected");
}
