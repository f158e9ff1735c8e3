/* Arithmetic on x86 `long double` as the x87 does it with all exceptions masked: rounding to nearest even at 64 bits,
 * denormals, signed zeros, and the processor's choice among NaNs. Only integers are used, so that both domains compute
 * it without knowing the format.
 *
 * Inside, a number is sign, exponent and a significand of 128 bits in two words: `hi` with the integer bit on top, `lo`
 * behind it. What is lost below `lo` stays as its last bit (sticky). */
#include "ics_x87.h"

#define TOP (1ul << 63)
#define BIAS 16383
#define LAST 0x7fff

static struct ics_x87 make(uint64_t m, unsigned se) {
    struct ics_x87 x = {m, (uint16_t)se};
    return x;
}

static struct ics_x87 indefinite(void) {
    return make(ICS_X87_INDEFINITE_M, ICS_X87_INDEFINITE_SE);
}

static int exponent(unsigned se) {
    return (int)(se & LAST);
}

/* Bit patterns without a meaning since the 80387: an integer bit that contradicts the exponent. */
static int is_invalid(uint64_t m, unsigned se) {
    return (exponent(se) != 0) & !(m >> 63);
}

static int is_nan(uint64_t m, unsigned se) {
    return (exponent(se) == LAST) & (m << 1 != 0);
}

static int is_infinite(uint64_t m, unsigned se) {
    return (exponent(se) == LAST) & (m == TOP);
}

static int is_signalling(uint64_t m, unsigned se) {
    return is_nan(m, se) & !(m >> 62 & 1);
}

static struct ics_x87 quiet(uint64_t m, unsigned se) {
    return make(m | 1ul << 62, se);
}

/* Whether an operand decides the result alone, by being invalid or a NaN. */
static int is_special(uint64_t m, unsigned se) {
    return is_invalid(m, se) | is_nan(m, se);
}

/* The result of two operands of which one is special: of two NaNs a quiet one, else the larger significand. */
static struct ics_x87 propagate(uint64_t am, unsigned ase, uint64_t bm, unsigned bse) {
    if (is_invalid(am, ase) | is_invalid(bm, bse)) return indefinite();
    if (!is_nan(bm, bse)) return quiet(am, ase);
    if (!is_nan(am, ase)) return quiet(bm, bse);
    if (is_signalling(am, ase) != is_signalling(bm, bse)) return is_signalling(am, ase) ? make(bm, bse) : make(am, ase);
    if (am == bm) return quiet(am, ase & bse);
    return am > bm ? quiet(am, ase) : quiet(bm, bse);
}

/* (hi, lo) >> n, sticky; n > 0. */
static uint64_t shifted_lo(uint64_t hi, uint64_t lo, int n) {
    if (n < 64) return lo >> n | hi << (64 - n) | (lo << (64 - n) != 0);
    if (n == 64) return hi | (lo != 0);
    if (n < 128) return hi >> (n - 64) | (hi << (128 - n) != 0) | (lo != 0);
    return (hi | lo) != 0;
}

static uint64_t shifted_hi(uint64_t hi, int n) {
    return n < 64 ? hi >> n : 0;
}

/* sign * hi.lo * 2^(e - bias), rounded. The top bit of `hi` is set unless e <= 1. */
static struct ics_x87 rounded(unsigned sign, int e, uint64_t hi, uint64_t lo) {
    if (e < 1) {
        lo = shifted_lo(hi, lo, 1 - e);
        hi = shifted_hi(hi, 1 - e);
        e = 1;
    }
    if ((lo > TOP) | ((lo == TOP) & (hi & 1))) {
        hi++;
        if (hi == 0) {
            hi = TOP;
            e++;
        }
    }
    if (e >= LAST) return make(TOP, sign << 15 | LAST);
    return make(hi, sign << 15 | (hi >> 63 ? (unsigned)e : 0));
}

/* Moves the top bit of a nonzero hi.lo up, as far as the exponent of the result allows. */
static struct ics_x87 normalised(unsigned sign, int e, uint64_t hi, uint64_t lo) {
    if (hi == 0) {
        if (lo == 0) return make(0, sign << 15);
        hi = lo;
        lo = 0;
        e -= 64;
    }
    int n = __builtin_clzl(hi);
    if (n > 0) {
        hi = hi << n | lo >> (64 - n);
        lo <<= n;
    }
    return rounded(sign, e - n, hi, lo);
}

/* --- sums --- */

static int effective(unsigned se) {
    return exponent(se) + (exponent(se) == 0);
}

/* a + b where |a| >= |b|, both finite. */
static struct ics_x87 sum(uint64_t am, unsigned ase, uint64_t bm, unsigned bse) {
    int e = effective(ase), distance = e - effective(bse);
    unsigned sign = ase >> 15;
    uint64_t lo = 0;
    if (distance > 0) {
        lo = shifted_lo(bm, 0, distance);
        bm = shifted_hi(bm, distance);
    }
    if (ase >> 15 == bse >> 15) {
        uint64_t hi = am + bm;
        if (hi >= am) return rounded(sign, e, hi, lo);
        return rounded(sign, e + 1, hi >> 1 | TOP, lo >> 1 | hi << 63 | (lo & 1));
    }
    uint64_t hi = am - bm - (lo != 0);
    lo = -lo;
    if ((hi | lo) == 0) return make(0, 0);
    return normalised(sign, e, hi, lo);
}

static struct ics_x87 add(uint64_t am, unsigned ase, uint64_t bm, unsigned bse) {
    if (is_infinite(am, ase)) return (is_infinite(bm, bse) & (ase != bse)) ? indefinite() : make(am, ase);
    if (is_infinite(bm, bse)) return make(bm, bse);
    if (((am | bm) == 0) & (ase == bse)) return make(0, ase);
    int a = effective(ase), b = effective(bse);
    return (a > b) || ((a == b) & (am >= bm)) ? sum(am, ase, bm, bse) : sum(bm, bse, am, ase);
}

struct ics_x87 __ics_x87_add(uint64_t am, uint16_t ase, uint64_t bm, uint16_t bse) {
    if (is_special(am, ase) | is_special(bm, bse)) return propagate(am, ase, bm, bse);
    return add(am, ase, bm, bse);
}

struct ics_x87 __ics_x87_sub(uint64_t am, uint16_t ase, uint64_t bm, uint16_t bse) {
    if (is_special(am, ase) | is_special(bm, bse)) return propagate(am, ase, bm, bse);
    return add(am, ase, bm, bse ^ 0x8000u);
}

/* --- products and quotients --- */

static uint64_t product_hi(uint64_t a, uint64_t b) {
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    uint64_t low = al * bl, one = ah * bl + (low >> 32), two = al * bh + (uint32_t)one;
    return ah * bh + (one >> 32) + (two >> 32);
}

/* Exponent and significand of a finite nonzero number as if it were normal. */
static int normal_exponent(uint64_t m, unsigned se) {
    return effective(se) - __builtin_clzl(m);
}

static uint64_t normal_significand(uint64_t m) {
    return m << __builtin_clzl(m);
}

struct ics_x87 __ics_x87_mul(uint64_t am, uint16_t ase, uint64_t bm, uint16_t bse) {
    if (is_special(am, ase) | is_special(bm, bse)) return propagate(am, ase, bm, bse);
    unsigned sign = (unsigned)(ase ^ bse) >> 15;
    int infinite = is_infinite(am, ase) | is_infinite(bm, bse);
    if ((am == 0) | (bm == 0)) return infinite ? indefinite() : make(0, sign << 15);
    if (infinite) return make(TOP, sign << 15 | LAST);
    int e = normal_exponent(am, ase) + normal_exponent(bm, bse) - BIAS + 1;
    am = normal_significand(am);
    bm = normal_significand(bm);
    uint64_t hi = product_hi(am, bm), lo = am * bm;
    if (hi >> 63) return rounded(sign, e, hi, lo);
    return rounded(sign, e - 1, hi << 1 | lo >> 63, lo << 1);
}

/* Two words of a number divided by one: the quotient's word; hi < d, and the top bit of d is set. Half a word at a
 * time: the guess from the divisor's upper half is at most two too large. */
static uint64_t half_quotient(uint64_t rest, uint64_t next, uint64_t d) {
    uint64_t top = d >> 32, low = (uint32_t)d, q = rest / top, r = rest % top;
    while ((q >> 32) | (q * low > (r << 32 | next))) {
        q--;
        r += top;
        if (r >> 32) break;
    }
    return q;
}

static uint64_t quotient(uint64_t hi, uint64_t lo, uint64_t d) {
    uint64_t q1 = half_quotient(hi, lo >> 32, d);
    uint64_t rest = (hi << 32 | lo >> 32) - q1 * d;
    uint64_t q0 = half_quotient(rest, (uint32_t)lo, d);
    return q1 << 32 | q0;
}

/* The half of a unit that a remainder is, for rounding: below, at, or above it. */
static uint64_t remainder_word(uint64_t rest, uint64_t d) {
    if (rest == 0) return 0;
    return rest > d - rest ? TOP | 1 : rest == d - rest ? TOP : 1;
}

struct ics_x87 __ics_x87_div(uint64_t am, uint16_t ase, uint64_t bm, uint16_t bse) {
    if (is_special(am, ase) | is_special(bm, bse)) return propagate(am, ase, bm, bse);
    unsigned sign = (unsigned)(ase ^ bse) >> 15;
    if (is_infinite(am, ase)) return is_infinite(bm, bse) ? indefinite() : make(TOP, sign << 15 | LAST);
    if (is_infinite(bm, bse)) return make(0, sign << 15);
    if (bm == 0) return am == 0 ? indefinite() : make(TOP, sign << 15 | LAST);
    if (am == 0) return make(0, sign << 15);
    int e = normal_exponent(am, ase) - normal_exponent(bm, bse) + BIAS;
    am = normal_significand(am);
    bm = normal_significand(bm);
    int below = am < bm;
    uint64_t hi = below ? am : am >> 1, lo = below ? 0 : am << 63;
    uint64_t q = quotient(hi, lo, bm);
    return rounded(sign, e - below, q, remainder_word(lo - q * bm, bm));
}

/* The nearest multiple instead of the next one to zero: `rest` of a quotient `q` at exponent `e` becomes what is left
 * to d, of the other sign, if that is less, or as much and q odd. */
static struct ics_x87 to_nearest(unsigned se, int e, uint64_t rest, uint64_t d, unsigned *q) {
    uint64_t left = d - rest;
    if ((rest > left) | ((rest == left) & (*q & 1))) {
        rest = left;
        se ^= 0x8000u;
        ++*q;
    }
    return normalised(se >> 15, e, rest, 0);
}

/* What dividing leaves, which is exact: one word of the quotient after the other. `q` gets the quotient's last bits,
 * without sign. */
struct ics_x87 __ics_x87_remainder(uint64_t am, uint16_t ase, uint64_t bm, uint16_t bse, int nearest, unsigned *q) {
    *q = 0;
    if (is_special(am, ase) | is_special(bm, bse)) return propagate(am, ase, bm, bse);
    if (is_infinite(am, ase) | (bm == 0)) return indefinite();
    if (am == 0) return make(am, ase);
    int least = normal_exponent(bm, bse), steps = normal_exponent(am, ase) - least;
    if (is_infinite(bm, bse) | (steps < -nearest)) return normalised(ase >> 15, effective(ase), am, 0);
    am = normal_significand(am);
    bm = normal_significand(bm);
    if (steps < 0) {
        /* Half of what the divisor's exponent says. */
        if (am <= bm) return normalised(ase >> 15, least - 1, am, 0);
        *q = 1;
        return normalised(ase >> 15 ^ 1, least - 1, bm - (am - bm), 0);
    }
    if (am >= bm) {
        am -= bm;
        *q = 1;
    }
    while (steps > 0) {
        int n = steps < 63 ? steps : 63;
        uint64_t lo = am << n, word = quotient(am >> (64 - n), lo, bm);
        am = lo - word * bm;
        *q = (unsigned)((uint64_t)*q << n | word);
        steps -= n;
    }
    *q &= 7;
    if (am == 0) return make(0, ase & 0x8000u);
    if (nearest) return to_nearest(ase, least, am, bm, q);
    return normalised(ase >> 15, least, am, 0);
}

struct ics_x87 __ics_x87_rem(uint64_t am, uint16_t ase, uint64_t bm, uint16_t bse) {
    unsigned q;
    return __ics_x87_remainder(am, ase, bm, bse, 0, &q);
}

/* --- a product and a sum, rounded once: three words --- */

static void shift_right(uint64_t w[3], int n) {
    uint64_t lost = 0;
    if (n > 192) n = 192;
    for (; n >= 64; n -= 64) {
        lost |= w[2];
        w[2] = w[1];
        w[1] = w[0];
        w[0] = 0;
    }
    if (n > 0) {
        lost |= w[2] << (64 - n);
        w[2] = w[2] >> n | w[1] << (64 - n);
        w[1] = w[1] >> n | w[0] << (64 - n);
        w[0] >>= n;
    }
    w[2] |= lost != 0;
}

/* a += b or a -= b; whether it carries or borrows. */
static int accumulate(uint64_t a[3], const uint64_t b[3], int subtract) {
    uint64_t carry = 0;
    for (int i = 2; i >= 0; i--) {
        uint64_t addend = b[i] + carry, wrapped = addend < carry, before = a[i];
        a[i] = subtract ? before - addend : before + addend;
        carry = wrapped | (subtract ? before < addend : a[i] < addend);
    }
    return carry != 0;
}

/* The first word gets its top bit; nothing for zero. */
static int shift_left(uint64_t w[3]) {
    int moved = 0;
    for (; w[0] == 0 && moved < 192; moved += 64) {
        w[0] = w[1];
        w[1] = w[2];
        w[2] = 0;
    }
    int n = w[0] ? __builtin_clzl(w[0]) : 0;
    if (n > 0) {
        w[0] = w[0] << n | w[1] >> (64 - n);
        w[1] = w[1] << n | w[2] >> (64 - n);
        w[2] <<= n;
    }
    return moved + n;
}

/* Words are exact as long as digits can cancel: operands far apart lose some of the smaller one, but at most one
   digit. */
struct ics_x87 __ics_x87_fma(struct ics_x87 a, struct ics_x87 b, struct ics_x87 c, int odd) {
    uint64_t am = normal_significand(a.m), bm = normal_significand(b.m);
    uint64_t product[3] = {product_hi(am, bm), am * bm, 0}, addend[3] = {normal_significand(c.m), 0, 0};
    int pe = normal_exponent(a.m, a.se) + normal_exponent(b.m, b.se) - BIAS + 1, ce = normal_exponent(c.m, c.se);
    unsigned sign = (unsigned)(a.se ^ b.se) >> 15;
    int subtract = sign != c.se >> 15, e;
    uint64_t *sum = product, *other = addend;
    if (pe < ce) {
        sum = addend;
        other = product;
        e = ce;
        sign = c.se >> 15;
        shift_right(product, ce - pe);
    } else {
        e = pe;
        shift_right(addend, pe - ce);
    }
    if (accumulate(sum, other, subtract)) {
        if (subtract) {
            const uint64_t negated[3] = {sum[0], sum[1], sum[2]};
            sum[0] = sum[1] = sum[2] = 0;
            accumulate(sum, negated, 1);
            sign ^= 1;
        } else {
            shift_right(sum, 1);
            sum[0] |= TOP;
            e++;
        }
    }
    if ((sum[0] | sum[1] | sum[2]) == 0) return make(0, 0);
    e -= shift_left(sum);
    uint64_t lo = sum[1] | (sum[2] != 0);
    return odd ? make(sum[0] | (lo != 0), sign << 15 | (unsigned)e) : rounded(sign, e, sum[0], lo);
}

/* --- roots --- */

/* Digit by digit: two bits of the radicand give one of the root. What remains has up to 66 bits. */
struct ics_x87 __ics_x87_sqrt(uint64_t m, uint16_t se) {
    if (is_special(m, se)) return propagate(m, se, m, se);
    if (m == 0) return make(m, se);
    if (se >> 15) return indefinite();
    if (is_infinite(m, se)) return make(m, se);
    int e = normal_exponent(m, se) - BIAS;
    m = normal_significand(m);
    uint64_t hi = e & 1 ? m : m >> 1, lo = e & 1 ? 0 : m << 63;
    uint64_t root = 0, rest_hi = 0, rest = 0;
    for (int i = 0; i < 64; i++) {
        rest_hi = rest_hi << 2 | rest >> 62;
        rest = rest << 2 | hi >> 62;
        hi = hi << 2 | lo >> 62;
        lo <<= 2;
        uint64_t trial_hi = root >> 62, trial = root << 2 | 1;
        root <<= 1;
        if ((rest_hi > trial_hi) | ((rest_hi == trial_hi) & (rest >= trial))) {
            rest_hi -= trial_hi + (rest < trial);
            rest -= trial;
            root |= 1;
        }
    }
    uint64_t below = rest_hi || rest > root ? TOP | 1 : rest != 0;
    return rounded(0, (e - (e & 1)) / 2 + BIAS, root, below);
}

/* --- comparisons --- */

int __ics_x87_compare(uint64_t am, uint16_t ase, uint64_t bm, uint16_t bse) {
    if (is_special(am, ase) | is_special(bm, bse)) return ICS_X87_UNORDERED;
    if ((am | bm) == 0) return ICS_X87_EQUAL;
    if (ase >> 15 != bse >> 15) return ase >> 15 ? ICS_X87_LESS : ICS_X87_GREATER;
    int a = effective(ase), b = effective(bse);
    if ((a == b) & (am == bm)) return ICS_X87_EQUAL;
    int above = (a > b) | ((a == b) & (am > bm));
    return above != ase >> 15 ? ICS_X87_GREATER : ICS_X87_LESS;
}
