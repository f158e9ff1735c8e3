/* Floating-point numbers from strings, correctly rounded.
 *
 * A decimal is kept as its digits and the place of the point. Few digits and a small exponent are one exact operation
 * on doubles; otherwise the digits are multiplied or divided by powers of two, digit by digit, until the value is an
 * integer of 53 bits, which is rounded half to even. */
#include "ics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ics_string.h"

#define DIGITS 800  /* no double needs more than 767 significant digits to be told from its neighbours */

/* 0.d1 d2 ... * 10^point; `more`: nonzero digits were cut off behind the last. */
struct decimal {
    int n;
    int point;
    int more;
    unsigned char digit[DIGITS + 24];
};

static double from_bits(unsigned long bits) {
    return __builtin_bit_cast(double, bits);
}

static void trim(struct decimal *d) {
    if (d->n > DIGITS) {
        for (int i = DIGITS; i < d->n; i++) d->more |= d->digit[i] != 0;
        d->n = DIGITS;
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
        } else if (out < DIGITS) {
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

/* The integer nearest to d (half to even); d < 2^63. */
static unsigned long nearest(const struct decimal *d) {
    unsigned long value = 0;
    for (int i = 0; i < d->point; i++) value = value * 10 + (i < d->n ? d->digit[i] : 0);
    if (d->point < 0 || d->point >= d->n) return value;
    int next = d->digit[d->point];
    int up = next > 5;
    if (next == 5) up = d->point + 1 < d->n || d->more || (value & 1);
    return value + (unsigned)up;
}

/* bits of value * 2^exponent where value < 2^53 is already rounded for that exponent; ERANGE if it does not fit. */
static double assemble(unsigned long value, int exponent) {
    if (value == 1ul << 53) {
        value >>= 1;
        exponent++;
    }
    if (exponent > 971) {
        errno = ERANGE;
        return HUGE_VAL;
    }
    if (value < 1ul << 52) return from_bits(value); /* subnormal: the exponent is the least one */
    return from_bits((unsigned long)(exponent + 1075) << 52 | (value & ((1ul << 52) - 1)));
}

static double slow(struct decimal *d) {
    if (d->n == 0) return 0;
    if (d->point > 310) {
        errno = ERANGE;
        return HUGE_VAL;
    }
    if (d->point < -330) {
        errno = ERANGE;
        return 0;
    }
    /* d * 2^-exponent to [1/2, 1) */
    int exponent = 0;
    while (d->point > 0) {
        int k = d->point >= 9 ? 28 : d->point > 1 ? 3 * (d->point - 1) : d->digit[0] >= 5 ? 4 : d->digit[0] >= 2 ? 3 : 1;
        if (k == 0) k = 1;
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
    int keep = 53;
    if (exponent - keep < -1074) keep = exponent + 1074;
    if (keep < 0) {
        errno = ERANGE;
        return 0;
    }
    for (int k = keep; k > 0; k -= 28) times(d, k > 28 ? 28 : k);
    int exact = !d->more && d->point >= d->n;
    unsigned long value = nearest(d);
    if (keep < 53 && !exact && value < 1ul << 52) errno = ERANGE;
    return assemble(value, exponent - keep);
}

static double power_of_ten(int e) {
    double p = 1;
    for (; e > 0; e--) p *= 10; /* exact up to 10^22 */
    return p;
}

static double to_double(struct decimal *d) {
    while (d->n > 0 && d->digit[d->n - 1] == 0) d->n--;
    if (d->n <= 15 && !d->more) {
        double value = 0;
        for (int i = 0; i < d->n; i++) value = value * 10 + d->digit[i];
        int e = d->point - d->n;
        if (d->n == 0) return 0;
        if (e >= 0 && e <= 22) return value * power_of_ten(e);
        if (e < 0 && e >= -22) return value / power_of_ten(-e);
    }
    return slow(d);
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

static const char *decimal_number(const char *p, double *value) {
    struct decimal d;
    d.n = d.point = d.more = 0;
    int any = 0, behind = 0;
    for (;; p++) {
        if (*p == '.' && !behind) {
            behind = 1;
            continue;
        }
        if (*p < '0' || *p > '9') break;
        any = 1;
        if (d.n == 0 && *p == '0') {
            d.point -= behind;
            continue;
        }
        if (d.n < DIGITS) d.digit[d.n++] = (unsigned char)(*p - '0');
        else d.more |= *p != '0';
        d.point += !behind;
    }
    if (!any) return 0;
    int exponent;
    p = exponent_part(p, 'e', &exponent);
    d.point += exponent;
    *value = to_double(&d);
    return p;
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Behind 0x. The value is kept in 64 bits, what falls off below in the last of them. */
static const char *hexadecimal_number(const char *p, double *value) {
    unsigned long bits = 0, sticky = 0;
    int any = 0, behind = 0, exponent = 0, extra;
    for (;; p++) {
        if (*p == '.' && !behind) {
            behind = 1;
            continue;
        }
        int h = hex_digit(*p);
        if (h < 0) break;
        any = 1;
        if (bits >> 59) {
            sticky |= h != 0;
            exponent += behind ? 0 : 4;
        } else {
            bits = bits << 4 | (unsigned)h;
            exponent -= behind ? 4 : 0;
        }
    }
    if (!any) return 0;
    p = exponent_part(p, 'p', &extra);
    exponent += extra;
    *value = 0;
    if (bits == 0) return p;
    while (!(bits >> 63)) bits <<= 1, exponent--;
    bits |= sticky;
    int drop = 11; /* to 53 bits, or fewer for a subnormal */
    if (exponent + drop < -1074) drop = -1074 - exponent;
    if (drop > 64) {
        errno = ERANGE;
        return p;
    }
    unsigned long kept = drop == 64 ? 0 : bits >> drop, rest = drop == 64 ? bits : bits & ((1ul << drop) - 1);
    unsigned long half = 1ul << (drop - 1);
    if (rest > half || (rest == half && (kept & 1))) kept++;
    if (drop > 11 && rest) errno = ERANGE;
    *value = assemble(kept, exponent + drop);
    return p;
}

static const char *word(const char *p, const char *expected) {
    for (; *expected; p++, expected++)
        if ((*p | 32) != *expected) return 0;
    return p;
}

/* nan, nan(chars), inf, infinity */
static const char *special(const char *p, double *value) {
    const char *q = word(p, "nan");
    if (q) {
        *value = __builtin_nan("");
        const char *r = q;
        if (*r == '(') {
            r++;
            while (hex_digit(*r) >= 0 || ((*r | 32) >= 'g' && (*r | 32) <= 'z') || *r == '_') r++;
            if (*r == ')') q = r + 1;
        }
        return q;
    }
    q = word(p, "inf");
    if (!q) return 0;
    *value = HUGE_VAL;
    const char *longer = word(p, "infinity");
    return longer ? longer : q;
}

double strtod(const char *s, char **end) {
    double value = 0;
    if (ics_symbolic_string(s)) {
        if (end) {
            unsigned long used = ics_ask("strtod_end", s, 64);
            __ics_assume(used <= strlen(s));
            *end = (char *)s + used;
        }
        return from_bits(ics_ask("strtod", s, 64));
    }
    const char *p = s;
    while (*p == ' ' || (*p >= '\t' && *p <= '\r')) p++;
    int negative = *p == '-';
    if (*p == '+' || *p == '-') p++;
    const char *after = special(p, &value);
    if (!after && p[0] == '0' && (p[1] | 32) == 'x') after = hexadecimal_number(p + 2, &value);
    if (!after) after = decimal_number(p, &value);
    if (end) *end = (char *)(after ? after : s);
    return negative && after ? -value : value;
}

/* Rounded twice, which differs from once only for decimals within 2^-53 of the middle between two floats. */
float strtof(const char *s, char **end) {
    return (float)strtod(s, end);
}

double __strtod_internal(const char *s, char **end, int group) {
    return strtod(s, end);
}

double atof(const char *s) {
    if (ics_symbolic_string(s)) return from_bits(ics_ask("atof", s, 64));
    return strtod(s, 0);
}
