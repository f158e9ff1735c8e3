/* math.h, second part: functions that look at the representation or are made of exact operations. What a `double`
 * cannot do in one rounding is done on the bits of the wider format (ics_x87.h). Errors set errno as glibc does. */
#include "ics_x87.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define SIGN (1ul << 63)
#define MANTISSA 0x000ffffffffffffful

static unsigned long bits(double x) {
    return __builtin_bit_cast(unsigned long, x);
}

static double from_bits(unsigned long x) {
    return __builtin_bit_cast(double, x);
}

static unsigned bits_of_float(float x) {
    return __builtin_bit_cast(unsigned, x);
}

static float float_from_bits(unsigned x) {
    return __builtin_bit_cast(float, x);
}

static int exponent_of(double x) {
    return (int)(bits(x) >> 52 & 0x7ff);
}

static int is_number(double x) {
    return x - x == 0;
}

static struct ics_x87 extended(double x) {
    return __ics_x87_from_double(bits(x));
}

static double narrowed(struct ics_x87 x) {
    return from_bits(__ics_x87_to_double(x.m, x.se));
}

static int unknown(double x) {
    return __ics_is_symbolic_domain() && __ics_is_symbolic(bits(x));
}

/* --- scaling --- */

double frexp(double x, int *exponent) {
    *exponent = 0;
    if (x == 0 || exponent_of(x) == 0x7ff) return x + x;
    int scaled = 0;
    if (exponent_of(x) == 0) x *= 0x1p54, scaled = 54;
    *exponent = exponent_of(x) - 1022 - scaled;
    return from_bits((bits(x) & ~(0x7fful << 52)) | 1022ul << 52);
}

float frexpf(float x, int *exponent) {
    return (float)frexp(x, exponent);
}

/* Steps stay among normal numbers but for the last, so that there is one rounding. */
static double scaled(double x, long n) {
    int e;
    if (!is_number(x) || x == 0) return x + x;
    if (n > 2200) n = 2200;
    if (n < -2200) n = -2200;
    double m = 2 * frexp(x, &e);
    n += e - 1;
    if (n > 1023) return m * 0x1p1023 * 2;
    if (n >= -1022) return m * from_bits((unsigned long)(n + 1023) << 52);
    if (n < -1080) n = -1080;
    return m * from_bits((unsigned long)(n + 200 + 1023) << 52) * 0x1p-200;
}

static double checked(double result, double x) {
    if (is_number(x) && x != 0 && (result == 0 || !is_number(result))) errno = ERANGE;
    return result;
}

double ldexp(double x, int n) {
    return checked(scaled(x, n), x);
}

double scalbn(double x, int n) {
    return checked(scaled(x, n), x);
}

double scalbln(double x, long n) {
    return checked(scaled(x, n), x);
}

float ldexpf(float x, int n) {
    float result = (float)scaled(x, n);
    checked(result, x);
    return result;
}

float scalbnf(float x, int n) {
    return ldexpf(x, n);
}

float scalblnf(float x, long n) {
    float result = (float)scaled(x, n);
    checked(result, x);
    return result;
}

double logb(double x) {
    int e;
    if (!is_number(x)) return x * x;
    if (x == 0) return -HUGE_VAL;
    frexp(x, &e);
    return e - 1;
}

float logbf(float x) {
    return (float)logb(x);
}

int ilogb(double x) {
    int e;
    if (x == 0 || !is_number(x)) {
        errno = EDOM;
        return x == 0 ? FP_ILOGB0 : x == x ? 0x7fffffff : FP_ILOGBNAN;
    }
    frexp(x, &e);
    return e - 1;
}

int ilogbf(float x) {
    return ilogb(x);
}

double significand(double x) {
    int e;
    if (x == 0 || !is_number(x)) {
        errno = EDOM;
        return x + x;
    }
    return 2 * frexp(x, &e);
}

double modf(double x, double *whole) {
    *whole = __builtin_elementwise_trunc(x);
    if (x != x) return *whole;
    double rest = is_number(x) ? x - *whole : 0;
    return from_bits((bits(rest) & ~SIGN) | (bits(x) & SIGN));
}

float modff(float x, float *whole) {
    double w;
    float rest = (float)modf(x, &w);
    *whole = (float)w;
    return rest;
}

/* --- neighbours: the representation counts through all numbers of one sign --- */

double nextafter(double x, double y) {
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    if (x == 0) return from_bits((bits(y) & SIGN) | 1);
    double next = from_bits(bits(x) + ((x < y) == (x > 0) ? 1 : -1ul));
    if (exponent_of(next) == 0x7ff || exponent_of(next) == 0) errno = ERANGE;
    return next;
}

float nextafterf(float x, float y) {
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    if (x == 0) return float_from_bits((bits_of_float(y) & 0x80000000u) | 1);
    unsigned next = bits_of_float(x) + ((x < y) == (x > 0) ? 1 : -1u);
    unsigned exponent = next >> 23 & 0xff;
    if (exponent == 0xff || exponent == 0) errno = ERANGE;
    return float_from_bits(next);
}

/* Which way, as a number of the narrower type; where both are equal, the sign of the wider zero counts. */
double nexttoward(double x, long double y) {
    if (y != y) return x + (double)y;
    if (x == y) return (double)y;
    return nextafter(x, x < y ? HUGE_VAL : x > y ? -HUGE_VAL : x);
}

float nexttowardf(float x, long double y) {
    if (y != y) return x + (float)y;
    if (x == y) return (float)y;
    return nextafterf(x, x < y ? HUGE_VALF : x > y ? -HUGE_VALF : x);
}

/* --- remainders: exact, so that a wider format gives them --- */

static int has_remainder(double x, double y) {
    return is_number(x) && y != 0;
}

static double nearest_remainder(double x, double y, unsigned *q) {
    struct ics_x87 a = extended(x), b = extended(y);
    return narrowed(__ics_x87_remainder(a.m, a.se, b.m, b.se, 1, q));
}

double remainder(double x, double y) {
    unsigned q;
    if (x == x && y == y && !has_remainder(x, y)) errno = EDOM;
    return nearest_remainder(x, y, &q);
}

float remainderf(float x, float y) {
    return (float)remainder(x, y);
}

double drem(double x, double y) {
    return remainder(x, y);
}

double remquo(double x, double y, int *quotient) {
    unsigned q;
    double rest = nearest_remainder(x, y, &q);
    if (x == x && y == y && has_remainder(x, y)) *quotient = (bits(x) ^ bits(y)) & SIGN ? -(int)q : (int)q;
    return rest;
}

float remquof(float x, float y, int *quotient) {
    return (float)remquo(x, y, quotient);
}

/* --- one rounding --- */

double fdim(double x, double y) {
    if (x <= y) return 0;
    double d = x - y;
    if (!is_number(d) && is_number(x) && is_number(y)) errno = ERANGE;
    return d;
}

float fdimf(float x, float y) {
    if (x <= y) return 0;
    float d = x - y;
    if (!is_number(d) && is_number(x) && is_number(y)) errno = ERANGE;
    return d;
}

double fma(double x, double y, double z) {
    if (unknown(x) || unknown(y) || unknown(z)) return from_bits(__ics_input("fma", 64));
    if (is_number(x) && is_number(y) && !is_number(z)) return z + x + y;
    if (!is_number(x) || !is_number(y) || x == 0 || y == 0) return x * y + z;
    if (z == 0) return x * y;
    return narrowed(__ics_x87_fma(extended(x), extended(y), extended(z), 1));
}

/* The product is exact as a `double`. */
float fmaf(float x, float y, float z) {
    if (unknown(x) || unknown(y) || unknown(z)) return (float)from_bits(__ics_input("fmaf", 64));
    double product = (double)x * y;
    if (!is_number(product) || !is_number(z) || product == 0 || z == 0) return (float)(product + z);
    struct ics_x87 sum = __ics_x87_fma(extended(product), extended(1), extended(z), 1);
    return float_from_bits(__ics_x87_to_float(sum.m, sum.se));
}

/* --- NaNs and classes --- */

/* The number in the tag is the payload. */
static unsigned long payload(const char *tag, unsigned long mask) {
    char *end;
    if (*tag == 0) return 0;
    int before = errno;
    unsigned long value = strtoul(tag, &end, 0);
    errno = before;
    return *end ? 0 : value & mask;
}

double nan(const char *tag) {
    return from_bits(0x7ff8000000000000ul | payload(tag, MANTISSA >> 1));
}

float nanf(const char *tag) {
    return float_from_bits(0x7fc00000u | (unsigned)payload(tag, 0x3fffff));
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
    return is_number(x);
}

int isnanf(float x) {
    return x != x;
}

int isinff(float x) {
    return isinf(x);
}

int finitef(float x) {
    return is_number(x);
}

int __isnan(double x) {
    return x != x;
}

int __isinf(double x) {
    return isinf(x);
}

int __finite(double x) {
    return is_number(x);
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

int __isnanf(float x) {
    return x != x;
}

int __isinff(float x) {
    return isinf(x);
}

int __finitef(float x) {
    return is_number(x);
}

int __signbitf(float x) {
    return bits_of_float(x) >> 31;
}

int __fpclassifyf(float x) {
    unsigned e = bits_of_float(x) >> 23 & 0xff, m = bits_of_float(x) & 0x7fffff;
    if (e == 0xff) return m ? FP_NAN : FP_INFINITE;
    if (e == 0) return m ? FP_SUBNORMAL : FP_ZERO;
    return FP_NORMAL;
}
