/* fenv.h: rounding is to nearest, and exceptions are neither raised nor recorded. What would need them is reported. */
#include "ics.h"

#include <fenv.h>
#include <string.h>

int fegetround(void) {
    return FE_TONEAREST;
}

int fesetround(int direction) {
    if (direction != FE_TONEAREST && direction != FE_DOWNWARD && direction != FE_UPWARD && direction != FE_TOWARDZERO)
        return 1;
    if (direction != FE_TONEAREST) __ics_unsupported("rounding other than to nearest");
    return 0;
}

int feclearexcept(int exceptions) {
    return 0;
}

int fetestexcept(int exceptions) {
    if (exceptions & FE_ALL_EXCEPT) __ics_unsupported("asking for floating-point exceptions");
    return 0;
}

int feraiseexcept(int exceptions) {
    return 0;
}

int fegetexceptflag(fexcept_t *flags, int exceptions) {
    *flags = 0;
    return 0;
}

int fesetexceptflag(const fexcept_t *flags, int exceptions) {
    return 0;
}

int fegetenv(fenv_t *environment) {
    memset(environment, 0, sizeof *environment);
    return 0;
}

int feholdexcept(fenv_t *environment) {
    return fegetenv(environment);
}

int fesetenv(const fenv_t *environment) {
    return 0;
}

int feupdateenv(const fenv_t *environment) {
    return 0;
}

/* Traps are off. */
int feenableexcept(int exceptions) {
    if (exceptions & FE_ALL_EXCEPT) __ics_unsupported("traps for floating-point exceptions");
    return 0;
}

int fedisableexcept(int exceptions) {
    return 0;
}

int fegetexcept(void) {
    return 0;
}
