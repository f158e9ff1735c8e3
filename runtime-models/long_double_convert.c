/* x86 `long double` from and to integers, `float` and `double`, and rounded to integers; on integers only, like
 * long_double.c. */
#include "ics_x87.h"

#define TOP (1ul << 63)
#define BIAS 16383
#define LAST 0x7fffu

static struct ics_x87 make(uint64_t m, unsigned se) {
    struct ics_x87 x = {m, (uint16_t)se};
    return x;
}

/* --- integers --- */

struct ics_x87 __ics_x87_from_unsigned(uint64_t value) {
    if (value == 0) return make(0, 0);
    int n = __builtin_clzl(value);
    return make(value << n, (unsigned)(BIAS + 63 - n));
}

struct ics_x87 __ics_x87_from_signed(int64_t value) {
    struct ics_x87 x = __ics_x87_from_unsigned(value < 0 ? -(uint64_t)value : (uint64_t)value);
    return make(x.m, x.se | (value < 0 ? 0x8000u : 0));
}

int64_t __ics_x87_to_signed(uint64_t m, uint16_t se, int bits) {
    int e = (int)(se & LAST) - BIAS;
    uint64_t limit = 1ul << (bits - 1), none = -limit;
    if ((e > 63) | (((se & LAST) != 0) & !(m >> 63))) return (int64_t)none;
    if (e < 0) return 0;
    uint64_t value = m >> (63 - e);
    if (se >> 15) return (int64_t)(value > limit ? none : -value);
    return (int64_t)(value >= limit ? none : value);
}

/* What compilers emit: the upper half of the range is converted after subtracting 2^63, and NaNs with it. */
uint64_t __ics_x87_to_unsigned(uint64_t m, uint16_t se) {
    int upper = (__ics_x87_compare(m, se, TOP, BIAS + 63) & (ICS_X87_LESS)) == 0;
    if (!upper) return (uint64_t)__ics_x87_to_signed(m, se, 64);
    struct ics_x87 rest = __ics_x87_sub(m, se, TOP, BIAS + 63);
    return (uint64_t)__ics_x87_to_signed(rest.m, rest.se, 64) ^ TOP;
}

/* --- narrower floating-point formats: `width` bits of which `fraction` are the fraction's --- */

static struct ics_x87 from_narrow(uint64_t bits, int width, int fraction) {
    int last = (1 << (width - 1 - fraction)) - 1;
    unsigned sign = (unsigned)(bits >> (width - 1)) << 15;
    int e = (int)(bits >> fraction) & last;
    uint64_t m = bits << (64 - fraction) >> 1;
    if (e == last) return make(m | TOP | (m ? 1ul << 62 : 0), sign | LAST);
    if (e != 0) return make(m | TOP, sign | (unsigned)(e - last / 2 + BIAS));
    if (m == 0) return make(0, sign);
    int n = __builtin_clzl(m);
    return make(m << n, sign | (unsigned)(1 - n - last / 2 + BIAS));
}

static uint64_t to_narrow(uint64_t m, unsigned se, int width, int fraction) {
    int last = (1 << (width - 1 - fraction)) - 1, e = (int)(se & LAST);
    uint64_t sign = (uint64_t)(se >> 15) << (width - 1), infinity = (uint64_t)last << fraction;
    if (e != 0 && !(m >> 63)) return infinity | 1ul << (width - 1) | 1ul << (fraction - 1);
    if (e == (int)LAST) return sign | infinity | (m << 1 ? 1ul << (fraction - 1) | m << 1 >> (64 - fraction) : 0);
    /* The integer bit is added to the exponent's field, so a carry of rounding is right by itself. */
    e += last / 2 - BIAS;
    if (e >= last) return sign | infinity;
    int drop = 63 - fraction;
    if (e < 1) {
        drop += 1 - e;
        e = 1;
    }
    if (drop > 64) return sign;
    uint64_t kept = drop == 64 ? 0 : m >> drop, rest = m << (64 - drop);
    kept += (rest > TOP) | ((rest == TOP) & (kept & 1));
    uint64_t bits = ((uint64_t)(e - 1) << fraction) + kept;
    return sign | (bits >= infinity ? infinity : bits);
}

struct ics_x87 __ics_x87_from_double(uint64_t bits) {
    return from_narrow(bits, 64, 52);
}

struct ics_x87 __ics_x87_from_float(uint32_t bits) {
    return from_narrow(bits, 32, 23);
}

uint64_t __ics_x87_to_double(uint64_t m, uint16_t se) {
    return to_narrow(m, se, 64, 52);
}

uint32_t __ics_x87_to_float(uint64_t m, uint16_t se) {
    return (uint32_t)to_narrow(m, se, 32, 23);
}

/* --- to an integral value --- */

struct ics_x87 __ics_x87_round(uint64_t m, uint16_t se, int rounding) {
    int e = (int)(se & LAST) - BIAS;
    unsigned sign = se & 0x8000u;
    if (se & LAST && !(m >> 63)) return make(ICS_X87_INDEFINITE_M, ICS_X87_INDEFINITE_SE);
    if (e > (int)LAST - 1 - BIAS && m << 1) return make(m | 1ul << 62, se);
    if ((e >= 63) | (m == 0)) return make(m, se);
    /* As a number of halves, with what is below as sticky: the fraction is one bit and a sticky one. */
    uint64_t kept = e < 0 ? 0 : m >> (63 - e), rest = e < -1 ? 1 : e == -1 ? m : m << (e + 1);
    int up = rounding == ICS_X87_EVEN   ? (rest > TOP) | ((rest == TOP) & (kept & 1))
             : rounding == ICS_X87_AWAY ? rest >= TOP
             : rounding == ICS_X87_DOWN ? (sign != 0) & (rest != 0)
             : rounding == ICS_X87_UP   ? (sign == 0) & (rest != 0)
                                        : 0;
    kept += (unsigned)up;
    if (kept == 0) return make(0, sign);
    int n = __builtin_clzl(kept);
    return make(kept << n, sign | (unsigned)(BIAS + 63 - n));
}

/* --- classes --- */

/* Whether the number is of a class in `mask`: bits 0 to 9 are signalling and quiet NaN, then infinity, normal,
 * subnormal and zero of the negative sign, then of the positive one in the opposite order. */
int __ics_x87_class(uint64_t m, uint16_t se, int mask) {
    unsigned e = se & LAST;
    int negative;
    if (e != 0 && !(m >> 63)) return mask & 1;
    if (e == LAST && m << 1) return mask >> (m >> 62 & 1) & 1;
    if (e == LAST) negative = 2;
    else if (e != 0 || m >> 63) negative = 3;
    else negative = m ? 4 : 5;
    return mask >> (se >> 15 ? negative : 11 - negative) & 1;
}

/* --- integers of 128 bits --- */

struct ics_x87 __floatuntixf(uint64_t lo, uint64_t hi) {
    if (hi == 0) return __ics_x87_from_unsigned(lo);
    int n = __builtin_clzl(hi);
    uint64_t m = n ? hi << n | lo >> (64 - n) : hi, rest = lo << n;
    unsigned e = (unsigned)(BIAS + 127 - n);
    if ((rest > TOP) | ((rest == TOP) & (m & 1)) && ++m == 0) {
        m = TOP;
        e++;
    }
    return make(m, e);
}

struct ics_x87 __floattixf(uint64_t lo, uint64_t hi) {
    if (!(hi >> 63)) return __floatuntixf(lo, hi);
    struct ics_x87 x = __floatuntixf(-lo, ~hi + (lo == 0));
    return make(x.m, x.se | 0x8000u);
}

struct ics_wide {
    uint64_t lo, hi;
};

/* Out of range gives the nearest number, as conversions of `double` do; a NaN counts by its sign and exponent. */
static struct ics_wide whole_part(uint64_t m, unsigned se, int is_signed) {
    struct ics_wide x = {0, 0};
    int e = (int)(se & LAST) - BIAS, negative = se >> 15, bits = is_signed ? 127 : 128;
    if (e < 0 || (negative && !is_signed)) return x;
    if (e >= bits) {
        x.hi = ~0ul >> is_signed;
        x.lo = ~0ul;
        if (negative) x.hi++, x.lo++;
        return x;
    }
    if (e < 64) {
        x.lo = m >> (63 - e);
    } else {
        x.hi = m >> (127 - e);
        x.lo = e == 127 ? 0 : m << (e - 63);
    }
    if (negative) {
        x.hi = ~x.hi + (x.lo == 0);
        x.lo = -x.lo;
    }
    return x;
}

struct ics_wide __fixxfti(uint64_t m, uint16_t se) {
    return whole_part(m, se, 1);
}

struct ics_wide __fixunsxfti(uint64_t m, uint16_t se) {
    return whole_part(m, se, 0);
}
