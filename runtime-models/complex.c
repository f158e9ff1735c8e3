/* Complex numbers: the multiplication and division that compilers call, and the exact part of complex.h.
 *
 * A product is the textbook one, unless both parts are NaN though an infinity takes part (C11 G.5.1). A quotient of
 * floats goes through double; others are Smith's, scaled before where squares or ratios would leave the range, as the
 * compiler's own library does it. */
#include "ics.h"

#include <complex.h>
#include <float.h>
#include <math.h>

/* An infinity counts as one and everything else as zero, of the same sign. */
#define BOXED(x, copysign) copysign(isinf(x) ? 1 : 0, x)
#define NO_NAN(x, copysign) (isnan(x) ? copysign(0, x) : (x))

#define PRODUCT(type, name, copysign)                                                                               \
    type _Complex name(type a, type b, type c, type d) {                                                            \
        type ac = a * c, bd = b * d, ad = a * d, bc = b * c, x = ac - bd, y = ad + bc;                              \
        if (!isnan(x) || !isnan(y)) return CMPLX_OF(type, x, y);                                                    \
        int again = 0;                                                                                              \
        if (isinf(a) || isinf(b)) {                                                                                 \
            a = BOXED(a, copysign), b = BOXED(b, copysign);                                                         \
            c = NO_NAN(c, copysign), d = NO_NAN(d, copysign);                                                       \
            again = 1;                                                                                              \
        }                                                                                                           \
        if (isinf(c) || isinf(d)) {                                                                                 \
            c = BOXED(c, copysign), d = BOXED(d, copysign);                                                         \
            a = NO_NAN(a, copysign), b = NO_NAN(b, copysign);                                                       \
            again = 1;                                                                                              \
        }                                                                                                           \
        if (!again && (isinf(ac) || isinf(bd) || isinf(ad) || isinf(bc))) {                                         \
            a = NO_NAN(a, copysign), b = NO_NAN(b, copysign);                                                       \
            c = NO_NAN(c, copysign), d = NO_NAN(d, copysign);                                                       \
            again = 1;                                                                                              \
        }                                                                                                           \
        if (again) {                                                                                                \
            x = (type)INFINITY * (a * c - b * d);                                                                   \
            y = (type)INFINITY * (a * d + b * c);                                                                   \
        }                                                                                                           \
        return CMPLX_OF(type, x, y);                                                                                \
    }

#define CMPLX_OF(type, x, y) __builtin_complex((type)(x), (type)(y))

PRODUCT(float, __mulsc3, copysignf)
PRODUCT(double, __muldc3, copysign)
PRODUCT(long double, __mulxc3, copysignl)

/* What a quotient is when both parts came out as NaN: division by zero, or an infinity on one side. */
#define REPAIRED(type, copysign)                                                                                    \
    if (isnan(x) && isnan(y)) {                                                                                     \
        if (c == 0 && d == 0 && (!isnan(a) || !isnan(b))) {                                                         \
            x = copysign((type)INFINITY, c) * a;                                                                    \
            y = copysign((type)INFINITY, c) * b;                                                                    \
        } else if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) {                                          \
            a = BOXED(a, copysign), b = BOXED(b, copysign);                                                         \
            x = (type)INFINITY * (a * c + b * d);                                                                   \
            y = (type)INFINITY * (b * c - a * d);                                                                   \
        } else if ((isinf(c) || isinf(d)) && isfinite(a) && isfinite(b)) {                                          \
            c = BOXED(c, copysign), d = BOXED(d, copysign);                                                         \
            x = 0 * (a * c + b * d);                                                                                \
            y = 0 * (b * c - a * d);                                                                                \
        }                                                                                                           \
    }

float _Complex __divsc3(float a, float b, float c, float d) {
    double ad = a, bd = b, cd = c, dd = d, norm = cd * cd + dd * dd;
    float x = (float)((ad * cd + bd * dd) / norm), y = (float)((bd * cd - ad * dd) / norm);
    REPAIRED(float, copysignf)
    return CMPLX_OF(float, x, y);
}

/* Where numbers lie that need scaling: `big` is half of the largest, `tiny` the least normal one. */
#define SCALE(factor) (a *= (factor), b *= (factor), c *= (factor), d *= (factor))

#define QUOTIENT(type, name, copysign, fabs, big, tiny, epsilon)                                                    \
    /* With |major| >= |minor| in the divisor. */                                                                   \
    static type name##_part(type p, type q, type minor, type major, type ratio, type norm) {                        \
        return fabs(ratio) > (tiny) ? (p * ratio + q) / norm : (minor * (p / major) + q) / norm;                    \
    }                                                                                                               \
    type _Complex name(type a, type b, type c, type d) {                                                            \
        int swapped = fabs(c) < fabs(d);                                                                            \
        type largest = swapped ? fabs(d) : fabs(c), limit = (big) * (epsilon), x, y;                                \
        if (largest >= (big)) {                                                                                     \
            SCALE((type)0.5);                                                                                       \
        } else if (largest < (epsilon)) {                                                                           \
            SCALE(1 / (epsilon));                                                                                   \
        } else if (largest < limit &&                                                                               \
                   ((fabs(a) < (tiny) && fabs(b) < limit) || (fabs(b) < (tiny) && fabs(a) < limit))) {              \
            SCALE(1 / (epsilon));                                                                                   \
        }                                                                                                           \
        if (swapped) {                                                                                              \
            type ratio = c / d, norm = c * ratio + d;                                                               \
            x = name##_part(a, b, c, d, ratio, norm);                                                               \
            y = name##_part(b, -a, c, d, ratio, norm);                                                              \
        } else {                                                                                                    \
            type ratio = d / c, norm = d * ratio + c;                                                               \
            x = name##_part(b, a, d, c, ratio, norm);                                                               \
            y = name##_part(-a, b, d, c, ratio, norm);                                                              \
        }                                                                                                           \
        REPAIRED(type, copysign)                                                                                    \
        return CMPLX_OF(type, x, y);                                                                                \
    }

QUOTIENT(double, __divdc3, copysign, fabs, DBL_MAX / 2, DBL_MIN, DBL_EPSILON)
QUOTIENT(long double, __divxc3, copysignl, fabsl, LDBL_MAX / 2, LDBL_MIN, LDBL_EPSILON)

/* Powers with an integer exponent, by squaring. */
#define POWER(type, name)                                                                                           \
    type name(type x, int n) {                                                                                      \
        unsigned rest = n < 0 ? -(unsigned)n : (unsigned)n;                                                         \
        type power = rest % 2 ? x : 1;                                                                              \
        while (rest >>= 1) {                                                                                        \
            x *= x;                                                                                                 \
            if (rest % 2) power *= x;                                                                               \
        }                                                                                                           \
        return n < 0 ? 1 / power : power;                                                                           \
    }

POWER(float, __powisf2)
POWER(double, __powidf2)
POWER(long double, __powixf2)

/* --- complex.h --- */

#define PARTS(type, suffix)                                                                                         \
    type creal##suffix(type _Complex z) {                                                                           \
        return __real__ z;                                                                                          \
    }                                                                                                               \
    type cimag##suffix(type _Complex z) {                                                                           \
        return __imag__ z;                                                                                          \
    }                                                                                                               \
    type _Complex conj##suffix(type _Complex z) {                                                                   \
        return CMPLX_OF(type, __real__ z, -__imag__ z);                                                             \
    }                                                                                                               \
    type _Complex cproj##suffix(type _Complex z) {                                                                  \
        if (!isinf(__real__ z) && !isinf(__imag__ z)) return z;                                                     \
        return CMPLX_OF(type, INFINITY, copysign##suffix(0, __imag__ z));                                           \
    }

PARTS(double, )
PARTS(float, f)
PARTS(long double, l)

double cabs(double _Complex z) {
    return hypot(__real__ z, __imag__ z);
}

float cabsf(float _Complex z) {
    return hypotf(__real__ z, __imag__ z);
}

double carg(double _Complex z) {
    return atan2(__imag__ z, __real__ z);
}

float cargf(float _Complex z) {
    return atan2f(__imag__ z, __real__ z);
}
