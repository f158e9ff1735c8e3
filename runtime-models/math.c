/* math.h. What the IR has an instruction for is that instruction; the rest asks the host's libm, so results are the
 * native ones. A transcendental function of a value that is not a constant is an input (design D7). Range errors do
 * not set errno. */
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

/* Exact functions: instructions in both domains. */
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
EXACT(sqrt, __builtin_elementwise_sqrt)

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
EXACT2(fmod, __builtin_elementwise_fmod)

/* Inexact ones: the instruction on constants, else an input. */
#define INEXACT(name, operation)                                                                                    \
    double name(double x) {                                                                                         \
        return unknown(x) ? input(#name) : operation(x);                                                            \
    }                                                                                                               \
    float name##f(float x) {                                                                                        \
        return unknown(x) ? (float)input(#name "f") : operation(x);                                                 \
    }

INEXACT(sin, __builtin_elementwise_sin)
INEXACT(cos, __builtin_elementwise_cos)
INEXACT(exp, __builtin_elementwise_exp)
INEXACT(exp2, __builtin_elementwise_exp2)
INEXACT(log, __builtin_elementwise_log)
INEXACT(log2, __builtin_elementwise_log2)
INEXACT(log10, __builtin_elementwise_log10)

double pow(double x, double y) {
    return unknown(x) || unknown(y) ? input("pow") : __builtin_elementwise_pow(x, y);
}

float powf(float x, float y) {
    return unknown(x) || unknown(y) ? (float)input("powf") : __builtin_elementwise_pow(x, y);
}

/* The host's: the float versions are the double ones, rounded. */
#define HOST(name, function)                                                                                        \
    double name(double x) {                                                                                         \
        return unknown(x) ? input(#name) : from_bits(__ics_math(function, bits(x), 0));                             \
    }                                                                                                               \
    float name##f(float x) {                                                                                        \
        return (float)name(x);                                                                                      \
    }
#define HOST2(name, function)                                                                                       \
    double name(double x, double y) {                                                                               \
        return unknown(x) || unknown(y) ? input(#name) : from_bits(__ics_math(function, bits(x), bits(y)));         \
    }                                                                                                               \
    float name##f(float x, float y) {                                                                               \
        return (float)name(x, y);                                                                                   \
    }

HOST(tan, ICS_TAN)
HOST(asin, ICS_ASIN)
HOST(acos, ICS_ACOS)
HOST(atan, ICS_ATAN)
HOST2(atan2, ICS_ATAN2)
HOST(sinh, ICS_SINH)
HOST(cosh, ICS_COSH)
HOST(tanh, ICS_TANH)
HOST(asinh, ICS_ASINH)
HOST(acosh, ICS_ACOSH)
HOST(atanh, ICS_ATANH)
HOST(cbrt, ICS_CBRT)
HOST2(hypot, ICS_HYPOT)
HOST(expm1, ICS_EXPM1)
HOST(log1p, ICS_LOG1P)

/* --- the representation --- */

#define MANTISSA 0x000ffffffffffffful

static int exponent_of(double x) {
    return (int)(bits(x) >> 52 & 0x7ff);
}

double frexp(double x, int *exponent) {
    *exponent = 0;
    if (x == 0 || exponent_of(x) == 0x7ff) return x;
    int scaled = 0;
    if (exponent_of(x) == 0) x *= 0x1p54, scaled = 54;
    *exponent = exponent_of(x) - 1022 - scaled;
    return from_bits((bits(x) & ~(0x7fful << 52)) | 1022ul << 52);
}

/* Two steps at most leave the range of normal numbers only in the last one, so that it is rounded once. */
double ldexp(double x, int n) {
    while (n > 1000 && x != 0 && x - x == 0) x *= 0x1p1000, n -= 1000;
    if (n > 1000) return x;
    if (n < -2200) n = -2200;
    if (n < -1000) {
        int e;
        double m = frexp(x, &e);
        if (m == 0 || m - m != 0) return x;
        if (e + n < -1074) return m * 0x1p-1022 * (e + n == -1075 ? 0x1p-53 : 0x1p-60);
        x = from_bits((bits(m) & ~(0x7fful << 52)) | 1023ul << 52);
        int rest = e + n - 1;
        if (rest < -1022) return x * from_bits((unsigned long)(rest + 52 + 1023) << 52) * 0x1p-52;
        return x * from_bits((unsigned long)(rest + 1023) << 52);
    }
    return x * from_bits((unsigned long)(n + 1023) << 52);
}

double scalbn(double x, int n) {
    return ldexp(x, n);
}

double scalbln(double x, long n) {
    return ldexp(x, n > 5000 ? 5000 : n < -5000 ? -5000 : (int)n);
}

float ldexpf(float x, int n) {
    return (float)ldexp(x, n);
}

double modf(double x, double *whole) {
    *whole = __builtin_elementwise_trunc(x);
    if (x - x != 0) return x != x ? x : __builtin_elementwise_copysign(0.0, x);
    return __builtin_elementwise_copysign(x - *whole, x);
}

float modff(float x, float *whole) {
    double w;
    float rest = (float)modf(x, &w);
    *whole = (float)w;
    return rest;
}

double fdim(double x, double y) {
    return x > y ? x - y : x == x && y == y ? 0 : x + y;
}

/* The fused product as a sum of two roundings, like the instruction of the IR. */
double fma(double x, double y, double z) {
    return x * y + z;
}

long lround(double x) {
    return (long)__builtin_elementwise_round(x);
}

long long llround(double x) {
    return (long)__builtin_elementwise_round(x);
}

long lrint(double x) {
    return (long)__builtin_elementwise_rint(x);
}

long long llrint(double x) {
    return (long)__builtin_elementwise_rint(x);
}

#undef isnan
#undef isinf
#undef finite

int isnan(double x) {
    return x != x;
}

int isinf(double x) {
    return (x == HUGE_VAL) - (x == -HUGE_VAL);
}

int finite(double x) {
    return x - x == 0;
}

int __isnan(double x) {
    return x != x;
}

int __isinf(double x) {
    return isinf(x);
}

int __finite(double x) {
    return finite(x);
}

int __signbit(double x) {
    return bits(x) >> 63;
}

int __fpclassify(double x) {
    int e = exponent_of(x);
    unsigned long m = bits(x) & MANTISSA;
    if (e == 0x7ff) return m ? FP_NAN : FP_INFINITE;
    if (e == 0) return m ? FP_SUBNORMAL : FP_ZERO;
    return FP_NORMAL;
}
