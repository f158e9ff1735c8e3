/* math.h on `long double`, where the result is exact or correctly rounded. Written with the arithmetic of the type,
 * except where the representation is looked at. Errors set errno as glibc does. */
#include "ics_x87.h"

#include <errno.h>
#include <math.h>

#define TOP (1ul << 63)
#define BIAS 16383
#define LAST 0x7fff

union extended {
    long double value;
    struct ics_x87 bits;
};

static struct ics_x87 bits(long double x) {
    union extended u;
    u.value = x;
    return u.bits;
}

static long double from_bits(struct ics_x87 x) {
    union extended u;
    u.value = 0;
    u.bits = x;
    return u.value;
}

static long double make(uint64_t m, unsigned se) {
    struct ics_x87 x = {m, (uint16_t)se};
    return from_bits(x);
}

static int exponent(long double x) {
    return bits(x).se & LAST;
}

static int is_finite(long double x) {
    return exponent(x) != LAST;
}

static long double with_errno(int error, long double x) {
    errno = error;
    return x;
}

/* --- the sign, and integral values --- */

long double fabsl(long double x) {
    struct ics_x87 b = bits(x);
    return make(b.m, b.se & 0x7fffu);
}

long double copysignl(long double x, long double y) {
    struct ics_x87 b = bits(x);
    return make(b.m, (b.se & 0x7fffu) | (bits(y).se & 0x8000u));
}

static long double integral(long double x, enum ics_x87_rounding rounding) {
    struct ics_x87 b = bits(x);
    return from_bits(__ics_x87_round(b.m, b.se, rounding));
}

long double floorl(long double x) {
    return integral(x, ICS_X87_DOWN);
}

long double ceill(long double x) {
    return integral(x, ICS_X87_UP);
}

long double truncl(long double x) {
    return integral(x, ICS_X87_ZERO);
}

long double roundl(long double x) {
    return integral(x, ICS_X87_AWAY);
}

long double rintl(long double x) {
    return integral(x, ICS_X87_EVEN);
}

long double nearbyintl(long double x) {
    return integral(x, ICS_X87_EVEN);
}

long double roundevenl(long double x) {
    return integral(x, ICS_X87_EVEN);
}

long lrintl(long double x) {
    return (long)rintl(x);
}

long long llrintl(long double x) {
    return (long)rintl(x);
}

long lroundl(long double x) {
    return (long)roundl(x);
}

long long llroundl(long double x) {
    return (long)roundl(x);
}

long double modfl(long double x, long double *whole) {
    *whole = truncl(x);
    if (x != x) return *whole;
    return copysignl(is_finite(x) ? x - *whole : 0, x);
}

/* --- roots and remainders --- */

long double sqrtl(long double x) {
    struct ics_x87 b = bits(x);
    long double root = from_bits(__ics_x87_sqrt(b.m, b.se));
    return x < 0 ? with_errno(EDOM, root) : root;
}

static long double remainder_of(long double x, long double y) {
    struct ics_x87 a = bits(x), b = bits(y);
    return from_bits(__ics_x87_rem(a.m, a.se, b.m, b.se));
}

/* Whether a remainder of x and y does not exist though both are numbers. */
static int has_none(long double x, long double y) {
    return x == x && y == y && (!is_finite(x) || y == 0);
}

long double fmodl(long double x, long double y) {
    return has_none(x, y) ? with_errno(EDOM, remainder_of(x, y)) : remainder_of(x, y);
}

static long double nearest_remainder(long double x, long double y, int *quotient) {
    struct ics_x87 a = bits(x), b = bits(y);
    unsigned q;
    struct ics_x87 rest = __ics_x87_remainder(a.m, a.se, b.m, b.se, 1, &q);
    if (x == x && y == y && !has_none(x, y)) *quotient = (a.se ^ b.se) >> 15 ? -(int)q : (int)q;
    return from_bits(rest);
}

long double remainderl(long double x, long double y) {
    int quotient;
    long double rest = nearest_remainder(x, y, &quotient);
    return has_none(x, y) ? with_errno(EDOM, rest) : rest;
}

long double dreml(long double x, long double y) {
    return remainderl(x, y);
}

long double remquol(long double x, long double y, int *quotient) {
    return nearest_remainder(x, y, quotient);
}

long double fmal(long double x, long double y, long double z) {
    if (is_finite(x) && is_finite(y) && !is_finite(z)) return z + x + y;
    if (!is_finite(x) || !is_finite(y) || x == 0 || y == 0) return x * y + z;
    if (z == 0) return x * y;
    return from_bits(__ics_x87_fma(bits(x), bits(y), bits(z), 0));
}

/* --- the representation --- */

/* Exponent of a finite number that is not zero. */
static int exponent_of(long double x) {
    return exponent(x) - BIAS + (exponent(x) == 0) - __builtin_clzl(bits(x).m);
}

long double frexpl(long double x, int *power) {
    *power = 0;
    if (x != x) return x + x;
    if (x == 0 || !is_finite(x)) return x;
    *power = exponent_of(x) + 1;
    struct ics_x87 b = bits(x);
    return make(b.m << __builtin_clzl(b.m), (b.se & 0x8000u) | (BIAS - 1));
}

/* The second factor leaves the range of normal numbers, so that there is one rounding. */
static long double scaled(long double x, long n) {
    if (x != x) return x + x;
    if (x == 0 || !is_finite(x)) return x;
    n = n < -50000 ? -50000 : n > 50000 ? 50000 : n;
    struct ics_x87 b = bits(x);
    long e = exponent_of(x) + n + BIAS;
    b.m <<= __builtin_clzl(b.m);
    unsigned sign = b.se & 0x8000u;
    if (e >= LAST) return make(TOP, sign | LAST);
    if (e >= 1) return make(b.m, sign | (unsigned)e);
    return make(b.m, sign | (unsigned)(e < -100 ? 1 : e + 128)) * (e < -100 ? 0x1p-200L : 0x1p-128L);
}

static long double scaled_with_errno(long double x, long n) {
    long double y = scaled(x, n);
    if (x != 0 && is_finite(x) && (y == 0 || !is_finite(y))) errno = ERANGE;
    return y;
}

long double ldexpl(long double x, int n) {
    return scaled_with_errno(x, n);
}

long double scalbnl(long double x, int n) {
    return scaled_with_errno(x, n);
}

long double scalblnl(long double x, long n) {
    return scaled_with_errno(x, n);
}

long double logbl(long double x) {
    if (x != x) return x + x;
    if (!is_finite(x)) return x * x;
    if (x == 0) return -HUGE_VALL;
    return exponent_of(x);
}

int ilogbl(long double x) {
    if (x == 0 || !is_finite(x)) {
        errno = EDOM;
        return x == 0 ? FP_ILOGB0 : x == x ? 0x7fffffff : FP_ILOGBNAN;
    }
    return exponent_of(x);
}

/* The neighbour of x in the direction of y: the representation counts through all numbers. */
long double nextafterl(long double x, long double y) {
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    struct ics_x87 b = bits(x);
    if (x == 0) return make(1, bits(y).se & 0x8000u);
    if ((x < y) == !(b.se >> 15)) {
        if (++b.m == 0) b.m = TOP, b.se++;
        else if (b.m == TOP && (b.se & LAST) == 0) b.se++;
    } else {
        if (b.m == TOP && (b.se & LAST) != 0) b.se--, b.m = (b.se & LAST) ? -1ul : ~TOP;
        else b.m--;
    }
    if ((b.se & LAST) == LAST) return with_errno(ERANGE, make(TOP, b.se));
    if ((b.se & LAST) == 0) errno = ERANGE;
    return from_bits(b);
}

long double nexttowardl(long double x, long double y) {
    return nextafterl(x, y);
}

/* --- comparisons, classes --- */

/* A NaN counts if it is signalling, or if both are NaNs. */
static int is_signalling(long double x) {
    return x != x && !(bits(x).m >> 62 & 1);
}

static int nan_counts(long double x, long double y) {
    return is_signalling(x) || is_signalling(y) || (x != x && y != y);
}

long double fminl(long double x, long double y) {
    if (nan_counts(x, y)) return x + y;
    return islessequal(x, y) || y != y ? x : y;
}

long double fmaxl(long double x, long double y) {
    if (nan_counts(x, y)) return x + y;
    return isgreater(x, y) || y != y ? x : y;
}

long double fdiml(long double x, long double y) {
    if (islessequal(x, y)) return 0;
    long double d = x - y;
    return !is_finite(d) && is_finite(x) && is_finite(y) ? with_errno(ERANGE, d) : d;
}

int __isnanl(long double x) {
    return x != x;
}

int isnanl(long double x) {
    return x != x;
}

int __isinfl(long double x) {
    return (x == HUGE_VALL) - (x == -HUGE_VALL);
}

int isinfl(long double x) {
    return (x == HUGE_VALL) - (x == -HUGE_VALL);
}

int __finitel(long double x) {
    return is_finite(x);
}

int finitel(long double x) {
    return is_finite(x);
}

int __signbitl(long double x) {
    return bits(x).se & 0x8000;
}

int __fpclassifyl(long double x) {
    struct ics_x87 b = bits(x);
    if ((b.se & LAST) == 0) return b.m == 0 ? FP_ZERO : b.m >> 63 ? FP_NORMAL : FP_SUBNORMAL;
    if (!(b.m >> 63)) return FP_NAN;
    if ((b.se & LAST) == LAST) return b.m == TOP ? FP_INFINITE : FP_NAN;
    return FP_NORMAL;
}

/* --- operations that are functions --- */

struct ics_x87 __ics_x87_min(struct ics_x87 a, struct ics_x87 b) {
    return bits(fminl(from_bits(a), from_bits(b)));
}

struct ics_x87 __ics_x87_max(struct ics_x87 a, struct ics_x87 b) {
    return bits(fmaxl(from_bits(a), from_bits(b)));
}
