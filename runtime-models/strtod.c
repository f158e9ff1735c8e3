/* Floating-point numbers from strings, rounded once to the format that is asked for.
 *
 * A decimal is kept as its digits and the place of the point. Few digits and a small exponent are one exact operation;
 * otherwise the digits are multiplied or divided by powers of two, digit by digit, until the value is an integer of as
 * many bits as the format has, which is rounded half to even. */
#include "ics_x87.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ics_string.h"

/* A number is an integer of at most `precision` bits times 2^exponent, the exponent being from `least` to
   `greatest`. */
struct format {
    int precision, least, greatest;
    int large, small; /* 10 to the power of one is too large, of the other too small */
    int digits;       /* so many tell any number from its neighbours */
};

enum { FEW = 800, MANY = 11600, SPARE = 24 };

static const struct format single_format = {24, -149, 104, 41, -60, FEW};
static const struct format double_format = {53, -1074, 971, 310, -330, FEW};
static const struct format extended_format = {64, -16445, 16320, 4940, -4970, MANY};

/* value * 2^exponent; the exponent is INFINITE if it is too large for the format. */
struct number {
    unsigned long value;
    int exponent;
};

#define INFINITE 100000

/* 0.d1 d2 ... * 10^point; `more`: nonzero digits were cut off behind the last. */
struct decimal {
    const struct format *format;
    int n;
    int point;
    int more;
    unsigned char *digit; /* format->digits and SPARE */
};

static double from_bits(unsigned long bits) {
    return __builtin_bit_cast(double, bits);
}

static void trim(struct decimal *d) {
    int digits = d->format->digits;
    if (d->n > digits) {
        for (int i = digits; i < d->n; i++) d->more |= d->digit[i] != 0;
        d->n = digits;
    }
    while (d->n > 0 && d->digit[d->n - 1] == 0) d->n--;
    if (d->n == 0) d->point = 0;
}

/* d *= 2^k, k <= 28: from the last digit to the first, which moves by the length of the carry. */
static void times(struct decimal *d, int k) {
    unsigned long carry = 0;
    for (int i = d->n - 1; i >= 0; i--) {
        unsigned long v = ((unsigned long)d->digit[i] << k) + carry;
        d->digit[i] = (unsigned char)(v % 10);
        carry = v / 10;
    }
    unsigned char lead[12];
    int m = 0;
    for (; carry; carry /= 10) lead[m++] = (unsigned char)(carry % 10);
    __ics_memmove(d->digit + m, d->digit, (size_t)d->n);
    for (int i = 0; i < m; i++) d->digit[i] = lead[m - 1 - i];
    d->n += m;
    d->point += m;
    trim(d);
}

/* d /= 2^k, k <= 28: long division from the first digit on. */
static void over(struct decimal *d, int k) {
    unsigned long rest = 0, mask = (1ul << k) - 1;
    int out = 0, in = 0;
    for (; in < d->n || rest; in++) {
        rest = rest * 10 + (in < d->n ? d->digit[in] : 0);
        unsigned char q = (unsigned char)(rest >> k);
        rest &= mask;
        if (out == 0 && q == 0) {
            d->point--;
        } else if (out < d->format->digits) {
            d->digit[out++] = q;
        } else {
            d->more |= q != 0;
            if (in >= d->n) {
                d->more |= rest != 0;
                break;
            }
        }
    }
    d->n = out;
    trim(d);
}

/* The integer nearest to d (half to even), modulo 2^64; d < 2^64. */
static unsigned long nearest(const struct decimal *d) {
    unsigned long value = 0;
    for (int i = 0; i < d->point; i++) value = value * 10 + (i < d->n ? d->digit[i] : 0);
    if (d->point < 0 || d->point >= d->n) return value;
    int next = d->digit[d->point];
    int up = next > 5;
    if (next == 5) up = d->point + 1 < d->n || d->more || (value & 1);
    return value + (unsigned)up;
}

static struct number number(unsigned long value, int exponent) {
    struct number x = {value, exponent};
    return x;
}

static struct number too_large(void) {
    errno = ERANGE;
    return number(0, INFINITE);
}

/* A value that was rounded to `keep` bits, which may have carried into one more. */
static struct number assemble(const struct format *f, unsigned long value, int keep, int exponent) {
    if (keep == 64 && value == 0) {
        value = 1ul << 63;
        exponent++;
    } else if (keep == f->precision && keep < 64 && value >> keep) {
        value >>= 1;
        exponent++;
    }
    return exponent > f->greatest ? too_large() : number(value, exponent);
}

/* d * 2^-exponent is brought to [1/2, 1). */
static int normalise(struct decimal *d) {
    int exponent = 0;
    while (d->point > 0) {
        int k = d->point >= 9 ? 28 : d->point > 1 ? 3 * (d->point - 1) : d->digit[0] >= 5 ? 4 : d->digit[0] >= 2 ? 3 : 1;
        over(d, k);
        exponent += k;
    }
    while (d->point < 0 || d->digit[0] < 5) {
        int k = d->point <= -9 ? 28 : d->point < 0 ? -3 * d->point : 1;
        times(d, k);
        exponent -= k;
        while (d->point > 0) {
            over(d, 1);
            exponent++;
        }
    }
    return exponent;
}

static struct number rounded(struct decimal *d) {
    const struct format *f = d->format;
    while (d->n > 0 && d->digit[d->n - 1] == 0) d->n--;
    if (d->n == 0) return number(0, f->least);
    if (d->point > f->large) return too_large();
    if (d->point < f->small) {
        errno = ERANGE;
        return number(0, f->least);
    }
    int exponent = normalise(d), keep = f->precision;
    if (exponent - keep < f->least) keep = exponent - f->least;
    if (keep < 0) {
        errno = ERANGE;
        return number(0, f->least);
    }
    for (int k = keep; k > 0; k -= 28) times(d, k > 28 ? 28 : k);
    int exact = !d->more && d->point >= d->n;
    unsigned long value = nearest(d);
    if (keep < f->precision && !exact && value < 1ul << (f->precision - 1)) errno = ERANGE;
    return assemble(f, value, keep, exponent - keep);
}

/* An exponent behind `letter`, or 0; moves on only if there are digits. */
static const char *exponent_part(const char *p, char letter, int *exponent) {
    *exponent = 0;
    if ((*p | 32) != letter) return p;
    const char *q = p + 1;
    int negative = *q == '-', value = 0;
    if (*q == '-' || *q == '+') q++;
    if (*q < '0' || *q > '9') return p;
    for (; *q >= '0' && *q <= '9'; q++)
        if (value < 100000) value = value * 10 + (*q - '0');
    *exponent = negative ? -value : value;
    return q;
}

/* Reads digits; 0 if there are none. */
static const char *decimal_digits(const char *p, struct decimal *d) {
    int any = 0, behind = 0, exponent;
    d->n = d->point = d->more = 0;
    for (;; p++) {
        if (*p == '.' && !behind) {
            behind = 1;
            continue;
        }
        if (*p < '0' || *p > '9') break;
        any = 1;
        if (d->n == 0 && *p == '0') {
            d->point -= behind;
            continue;
        }
        if (d->n < d->format->digits) d->digit[d->n++] = (unsigned char)(*p - '0');
        else d->more |= *p != '0';
        d->point += !behind;
    }
    if (!any) return 0;
    p = exponent_part(p, 'e', &exponent);
    d->point += exponent;
    while (d->n > 0 && d->digit[d->n - 1] == 0) d->n--;
    return p;
}

/* The digits as an integer if there are at most `digits`, and 10^-most to 10^most to multiply it with. */
static int is_simple(const struct decimal *d, int digits, int most, unsigned long *value, int *power) {
    *value = 0;
    *power = d->point - d->n;
    if (d->n > digits || d->more || *power < -most || *power > most) return 0;
    for (int i = 0; i < d->n; i++) *value = *value * 10 + d->digit[i];
    return 1;
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* (hi, lo / 2^64) * 2^exponent rounded; what is below is as good as the last bit of lo. */
static struct number hexadecimal(const struct format *f, unsigned long hi, unsigned long lo, int exponent) {
    if (hi == 0) return number(0, f->least);
    int n = __builtin_clzl(hi), drop = 64 - f->precision;
    if (n > 0) {
        hi = hi << n | lo >> (64 - n);
        lo <<= n;
    }
    exponent -= n;
    if (exponent > f->greatest) return too_large();
    if (exponent + drop < f->least) drop = f->least - exponent;
    if (drop > 64) {
        errno = ERANGE;
        return number(0, f->least);
    }
    unsigned long kept = drop == 64 ? 0 : hi >> drop;
    /* What is dropped, as a word of which the top bit is the half. */
    unsigned long rest = drop == 0 ? lo : hi << (64 - drop) | (lo != 0);
    if (drop > 64 - f->precision && rest) errno = ERANGE;
    kept += (rest > 1ul << 63) | ((rest == 1ul << 63) & (kept & 1));
    return assemble(f, kept, 64 - drop, exponent + drop);
}

/* Behind 0x. 16 significant digits go to one word, 16 to the next, and of others only whether one is not zero. */
static const char *hexadecimal_number(const char *p, const struct format *f, struct number *result) {
    unsigned long hi = 0, lo = 0;
    int any = 0, behind = 0, taken = 0, exponent = 0, extra;
    for (;; p++) {
        if (*p == '.' && !behind) {
            behind = 1;
            continue;
        }
        int h = hex_digit(*p);
        if (h < 0) break;
        any = 1;
        if (taken < 16) {
            hi = hi << 4 | (unsigned)h;
            exponent -= behind ? 4 : 0;
            taken += hi != 0;
            continue;
        }
        if (taken < 32) lo |= (unsigned long)h << (60 - 4 * (taken++ - 16));
        else lo |= h != 0;
        exponent += behind ? 0 : 4;
    }
    if (!any) return 0;
    p = exponent_part(p, 'p', &extra);
    *result = hexadecimal(f, hi, lo, exponent + extra);
    return p;
}

static const char *word(const char *p, const char *expected) {
    for (; *expected; p++, expected++)
        if ((*p | 32) != *expected) return 0;
    return p;
}

/* nan, nan(chars), inf, infinity; the payload of a NaN or -1 for infinity. */
static const char *special(const char *p, long *payload) {
    const char *q = word(p, "nan");
    if (q) {
        *payload = 0;
        const char *r = q;
        if (*r == '(') {
            r++;
            while (hex_digit(*r) >= 0 || ((*r | 32) >= 'g' && (*r | 32) <= 'z') || *r == '_') r++;
            if (*r == ')') {
                char *end;
                int before = errno;
                unsigned long value = strtoul(q + 1, &end, 0);
                errno = before;
                if (end == r) *payload = (long)(value & ~(1ul << 63));
                q = r + 1;
            }
        }
        return q;
    }
    q = word(p, "inf");
    if (!q) return 0;
    *payload = -1;
    const char *longer = word(p, "infinity");
    return longer ? longer : q;
}

/* --- the three formats --- */

enum kind { NOTHING, SPECIAL, DECIMAL, HEXADECIMAL };

/* What was read: the decimal is not rounded yet. */
struct text {
    enum kind kind;
    int negative;
    long payload;
    struct decimal decimal;
    struct number number;
};

static void read(struct text *t, const char *s, char **end) {
    const char *p = s, *after;
    while (*p == ' ' || (*p >= '\t' && *p <= '\r')) p++;
    t->negative = *p == '-';
    if (*p == '+' || *p == '-') p++;
    t->kind = SPECIAL;
    after = special(p, &t->payload);
    if (!after && p[0] == '0' && (p[1] | 32) == 'x') {
        t->kind = HEXADECIMAL;
        after = hexadecimal_number(p + 2, t->decimal.format, &t->number);
    }
    if (!after) {
        t->kind = DECIMAL;
        after = decimal_digits(p, &t->decimal);
    }
    if (!after) t->kind = NOTHING;
    if (end) *end = (char *)(after ? after : s);
}

static struct number value_of(struct text *t) {
    return t->kind == DECIMAL ? rounded(&t->decimal) : t->kind == HEXADECIMAL ? t->number : number(0, 0);
}

static double double_of(struct text *t) {
    unsigned long value;
    int power;
    if (t->kind == SPECIAL) {
        if (t->payload < 0) return HUGE_VAL;
        return from_bits(0x7ff8000000000000ul | ((unsigned long)t->payload & 0x7fffffffffffful));
    }
    if (t->kind == DECIMAL && is_simple(&t->decimal, 15, 22, &value, &power)) {
        double p = 1;
        for (int i = power < 0 ? -power : power; i > 0; i--) p *= 10; /* exact up to 10^22 */
        return power < 0 ? (double)value / p : (double)value * p;
    }
    struct number x = value_of(t);
    if (x.exponent == INFINITE) return HUGE_VAL;
    if (x.value < 1ul << 52) return from_bits(x.value); /* subnormal: the exponent is the least one */
    return from_bits((unsigned long)(x.exponent + 1075) << 52 | (x.value & ((1ul << 52) - 1)));
}

static float float_of(struct text *t) {
    unsigned long value;
    int power;
    if (t->kind == SPECIAL) {
        if (t->payload < 0) return HUGE_VALF;
        return __builtin_bit_cast(float, 0x7fc00000u | ((unsigned)t->payload & 0x3fffff));
    }
    if (t->kind == DECIMAL && is_simple(&t->decimal, 7, 10, &value, &power)) {
        float p = 1;
        for (int i = power < 0 ? -power : power; i > 0; i--) p *= 10; /* exact up to 10^10 */
        return power < 0 ? (float)value / p : (float)value * p;
    }
    struct number x = value_of(t);
    if (x.exponent == INFINITE) return HUGE_VALF;
    if (x.value < 1u << 23) return __builtin_bit_cast(float, (unsigned)x.value);
    return __builtin_bit_cast(float, (unsigned)(x.exponent + 150) << 23 | ((unsigned)x.value & 0x7fffff));
}

static long double extended_of(struct text *t) {
    unsigned long value;
    int power;
    union {
        struct ics_x87 bits;
        long double value;
    } u = {{0, 0}};
    if (t->kind == SPECIAL) {
        u.bits.m = t->payload < 0 ? 1ul << 63 : 3ul << 62 | ((unsigned long)t->payload & ~(3ul << 62));
        u.bits.se = 0x7fff;
        return u.value;
    }
    if (t->kind == DECIMAL && is_simple(&t->decimal, 19, 27, &value, &power)) {
        long double p = 1;
        for (int i = power < 0 ? -power : power; i > 0; i--) p *= 10; /* exact up to 10^27 */
        return power < 0 ? (long double)value / p : (long double)value * p;
    }
    struct number x = value_of(t);
    u.bits.m = x.exponent == INFINITE ? 1ul << 63 : x.value;
    u.bits.se = x.exponent == INFINITE ? 0x7fff : (uint16_t)(x.value >> 63 ? x.exponent + 16446 : 0);
    return u.value;
}

double strtod(const char *s, char **end) {
    unsigned char digits[FEW + SPARE];
    struct text t = {.decimal = {.format = &double_format, .digit = digits}};
    if (ics_symbolic_string(s)) {
        if (end) {
            unsigned long used = ics_ask("strtod_end", s, 64);
            __ics_assume(used <= strlen(s));
            *end = (char *)s + used;
        }
        return from_bits(ics_ask("strtod", s, 64));
    }
    read(&t, s, end);
    double value = double_of(&t);
    return t.negative && t.kind != NOTHING ? -value : value;
}

float strtof(const char *s, char **end) {
    unsigned char digits[FEW + SPARE];
    struct text t = {.decimal = {.format = &single_format, .digit = digits}};
    if (ics_symbolic_string(s)) return (float)strtod(s, end);
    read(&t, s, end);
    float value = float_of(&t);
    return t.negative && t.kind != NOTHING ? -value : value;
}

long double strtold(const char *s, char **end) {
    unsigned char digits[MANY + SPARE];
    struct text t = {.decimal = {.format = &extended_format, .digit = digits}};
    if (ics_symbolic_string(s)) __ics_unsupported("strtold of symbolic text");
    read(&t, s, end);
    long double value = extended_of(&t);
    return t.negative && t.kind != NOTHING ? -value : value;
}

double __strtod_internal(const char *s, char **end, int group) {
    return strtod(s, end);
}

double atof(const char *s) {
    if (ics_symbolic_string(s)) return from_bits(ics_ask("atof", s, 64));
    return strtod(s, 0);
}
