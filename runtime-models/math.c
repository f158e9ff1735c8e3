/* math.h, first part. What the IR has an instruction for is that instruction, in both domains; the rest asks the host's
 * libm, so that results are the native ones, and is an input if an argument is not a constant (design D7). Errors set
 * errno as glibc does, where the arguments are constants.
 *
 * Functions that look at the representation are in math_bits.c. */
#include "ics.h"

#include <errno.h>
#include <math.h>

static unsigned long bits(double x) {
    return __builtin_bit_cast(unsigned long, x);
}

static double from_bits(unsigned long x) {
    return __builtin_bit_cast(double, x);
}

static int unknown(double x) {
    return __ics_is_symbolic_domain() && __ics_is_symbolic(bits(x));
}

static double input(const char *name) {
    return from_bits(__ics_input(name, 64));
}

static int is_number(double x) {
    return x - x == 0;
}

/* A NaN of numbers is outside the domain; an infinity of finite numbers is a pole or too large. */
static void check(double result, double x, double y) {
    if (result != result) {
        if (x == x && y == y) errno = EDOM;
    } else if (!is_number(result) && is_number(x) && is_number(y)) {
        errno = ERANGE;
    }
}

/* For functions that have no zeros but x = 0: a result of zero is too small. */
static void check_zero(double result, double x, double y) {
    check(result, x, y);
    if (result == 0 && x != 0 && is_number(x) && is_number(y)) errno = ERANGE;
}

/* --- instructions --- */

#define EXACT(name, operation)                                                                                      \
    double name(double x) {                                                                                         \
        return operation(x);                                                                                        \
    }                                                                                                               \
    float name##f(float x) {                                                                                        \
        return operation(x);                                                                                        \
    }

EXACT(fabs, __builtin_elementwise_abs)
EXACT(floor, __builtin_elementwise_floor)
EXACT(ceil, __builtin_elementwise_ceil)
EXACT(trunc, __builtin_elementwise_trunc)
EXACT(rint, __builtin_elementwise_rint)
EXACT(nearbyint, __builtin_elementwise_nearbyint)
EXACT(round, __builtin_elementwise_round)
EXACT(roundeven, __builtin_elementwise_roundeven)

#define EXACT2(name, operation)                                                                                     \
    double name(double x, double y) {                                                                               \
        return operation(x, y);                                                                                     \
    }                                                                                                               \
    float name##f(float x, float y) {                                                                               \
        return operation(x, y);                                                                                     \
    }

EXACT2(copysign, __builtin_elementwise_copysign)
EXACT2(fmin, __builtin_elementwise_min)
EXACT2(fmax, __builtin_elementwise_max)

double sqrt(double x) {
    double root = __builtin_elementwise_sqrt(x);
    if (!unknown(x)) check(root, x, 0);
    return root;
}

float sqrtf(float x) {
    float root = __builtin_elementwise_sqrt(x);
    if (!unknown(x)) check(root, x, 0);
    return root;
}

double fmod(double x, double y) {
    double rest = __builtin_elementwise_fmod(x, y);
    if (!unknown(x) && !unknown(y)) check(rest, x, y);
    return rest;
}

float fmodf(float x, float y) {
    float rest = __builtin_elementwise_fmod(x, y);
    if (!unknown(x) && !unknown(y)) check(rest, x, y);
    return rest;
}

#define TO_INTEGER(type, name, operation)                                                                           \
    type name(double x) {                                                                                           \
        return (type)operation(x);                                                                                  \
    }                                                                                                               \
    type name##f(float x) {                                                                                         \
        return (type)operation(x);                                                                                  \
    }

TO_INTEGER(long, lround, __builtin_elementwise_round)
TO_INTEGER(long long, llround, __builtin_elementwise_round)
TO_INTEGER(long, lrint, __builtin_elementwise_rint)
TO_INTEGER(long long, llrint, __builtin_elementwise_rint)

/* --- the host's --- */

static double host(int function, double x, double y) {
    return from_bits(__ics_math(function, bits(x), bits(y)));
}

static float host_float(int function, float x, float y) {
    unsigned a = __builtin_bit_cast(unsigned, x), b = __builtin_bit_cast(unsigned, y);
    return __builtin_bit_cast(float, (unsigned)__ics_math(function | ICS_SINGLE, a, b));
}

#define HOST(name, function, check)                                                                                 \
    double name(double x) {                                                                                         \
        if (unknown(x)) return input(#name);                                                                        \
        double result = host(function, x, 0);                                                                       \
        check(result, x, 0);                                                                                        \
        return result;                                                                                              \
    }                                                                                                               \
    float name##f(float x) {                                                                                        \
        if (unknown(x)) return (float)input(#name "f");                                                             \
        float result = host_float(function, x, 0);                                                                  \
        check(result, x, 0);                                                                                        \
        return result;                                                                                              \
    }

HOST(sin, ICS_SIN, check)
HOST(cos, ICS_COS, check)
HOST(tan, ICS_TAN, check)
HOST(asin, ICS_ASIN, check)
HOST(acos, ICS_ACOS, check)
HOST(atan, ICS_ATAN, check)
HOST(sinh, ICS_SINH, check)
HOST(cosh, ICS_COSH, check)
HOST(tanh, ICS_TANH, check)
HOST(asinh, ICS_ASINH, check)
HOST(acosh, ICS_ACOSH, check)
HOST(atanh, ICS_ATANH, check)
HOST(exp, ICS_EXP, check_zero)
HOST(exp2, ICS_EXP2, check_zero)
HOST(exp10, ICS_EXP10, check_zero)
HOST(expm1, ICS_EXPM1, check)
HOST(log, ICS_LOG, check)
HOST(log2, ICS_LOG2, check)
HOST(log10, ICS_LOG10, check)
HOST(log1p, ICS_LOG1P, check)
HOST(cbrt, ICS_CBRT, check)
HOST(erf, ICS_ERF, check)
HOST(erfc, ICS_ERFC, check_zero)
HOST(tgamma, ICS_TGAMMA, check_zero)
HOST(j0, ICS_J0, check)
HOST(j1, ICS_J1, check_zero)
HOST(y0, ICS_Y0, check)
HOST(y1, ICS_Y1, check)

#define HOST2(name, function, check)                                                                                \
    double name(double x, double y) {                                                                               \
        if (unknown(x) || unknown(y)) return input(#name);                                                          \
        double result = host(function, x, y);                                                                       \
        check(result, x, y);                                                                                        \
        return result;                                                                                              \
    }                                                                                                               \
    float name##f(float x, float y) {                                                                               \
        if (unknown(x) || unknown(y)) return (float)input(#name "f");                                               \
        float result = host_float(function, x, y);                                                                  \
        check(result, x, y);                                                                                        \
        return result;                                                                                              \
    }

HOST2(pow, ICS_POW, check_zero)
HOST2(atan2, ICS_ATAN2, check_zero)
HOST2(hypot, ICS_HYPOT, check)

/* Bessel functions of an integer order, which goes to the host as a number: all are exact in a double. */
double jn(int n, double x) {
    if (unknown(x)) return input("jn");
    double result = host(ICS_JN, n, x);
    check_zero(result, x, 0);
    return result;
}

double yn(int n, double x) {
    if (unknown(x)) return input("yn");
    double result = host(ICS_YN, n, x);
    check(result, x, 0);
    return result;
}

void sincos(double x, double *sine, double *cosine) {
    *sine = sin(x);
    *cosine = cos(x);
}

void sincosf(float x, float *sine, float *cosine) {
    *sine = sinf(x);
    *cosine = cosf(x);
}

/* --- the logarithm of the gamma function, and the sign that goes with it --- */

int signgam;

/* Negative between an odd negative integer and the even one above it. */
static int gamma_sign(double x) {
    if (x == 0) return bits(x) >> 63 ? -1 : 1;
    double whole = __builtin_elementwise_floor(x);
    return x < 0 && whole != x && __builtin_elementwise_fmod(whole, 2.0) != 0 ? -1 : 1;
}

double lgamma_r(double x, int *sign) {
    if (unknown(x)) {
        *sign = (int)__ics_input("lgamma_sign", 32);
        return input("lgamma");
    }
    double result = host(ICS_LGAMMA, x, 0);
    *sign = gamma_sign(x);
    check(result, x, 0);
    return result;
}

float lgammaf_r(float x, int *sign) {
    if (unknown(x)) {
        *sign = (int)__ics_input("lgamma_sign", 32);
        return (float)input("lgammaf");
    }
    float result = host_float(ICS_LGAMMA, x, 0);
    *sign = gamma_sign(x);
    check(result, x, 0);
    return result;
}

double lgamma(double x) {
    return lgamma_r(x, &signgam);
}

float lgammaf(float x) {
    return lgammaf_r(x, &signgam);
}
