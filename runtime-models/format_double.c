/* Floating-point output, exact: a double is an integer times a power of two, so its decimal expansion is finite; it is
 * computed with integers of 32-bit words and rounded once, half to even. */
#include "ics.h"

#include <string.h>

#include "ics_stdio.h"

#define WORDS 36              /* 2^1023 has 32 words, 52 more bits two */
#define MAX_DIGITS 1140       /* 309 before the point or 1074 behind it, and the last block of nine */

/* value = 0.d1 d2 d3 ... * 10^point; no leading zeros; n == 0 for zero. */
struct decimal {
    int n;
    int point;
    char digit[MAX_DIGITS];
};

/* Splits off the lowest nine decimal digits of a number of n words. */
static unsigned divide(unsigned *words, int n) {
    unsigned long rest = 0;
    for (int i = n - 1; i >= 0; i--) {
        rest = rest << 32 | words[i];
        words[i] = (unsigned)(rest / 1000000000);
        rest %= 1000000000;
    }
    return (unsigned)rest;
}

static void nine_digits(char *to, unsigned value) {
    for (int i = 8; i >= 0; i--) {
        to[i] = (char)(value % 10);
        value /= 10;
    }
}

/* mantissa * 2^shift, shift >= 0. */
static void whole(struct decimal *d, unsigned long mantissa, int shift) {
    unsigned words[WORDS] = {0};
    int at = shift / 32, bits = shift % 32;
    unsigned long low = (mantissa & 0xffffffff) << bits, high = (mantissa >> 32) << bits;
    words[at] = (unsigned)low;
    high += low >> 32;
    words[at + 1] = (unsigned)high;
    words[at + 2] = (unsigned)(high >> 32);
    char reversed[40][9];
    int n = at + 3, blocks = 0;
    while (n > 0) {
        if (words[n - 1] == 0) n--;
        else nine_digits(reversed[blocks++], divide(words, n));
    }
    int skip = 0;
    while (blocks && skip < 9 && reversed[blocks - 1][skip] == 0) skip++;
    for (int b = blocks; b-- > 0; skip = 0) {
        __ics_memcpy(d->digit + d->n, reversed[b] + skip, (size_t)(9 - skip));
        d->n += 9 - skip;
    }
    d->point = d->n;
}

/* Appends the digits of fraction / 2^shift until there are none or `enough(d)`; a rest becomes one digit 1, which is
 * all that rounding needs to know. */
static void fraction(struct decimal *d, unsigned long value, int shift, int places, int significant) {
    unsigned words[WORDS] = {0};
    int n = (shift + 31) / 32, top = n * 32 - shift;
    /* as a fixed-point number whose point is above word n-1: value * 2^(32n - shift) */
    words[0] = (unsigned)(value << top);
    if (n > 1) words[1] = (unsigned)(value << top >> 32);
    if (n > 2) words[2] = top ? (unsigned)(value >> (64 - top)) : 0;
    int low = 0, produced = 0;
    while (low < n) {
        if (words[low] == 0) {
            low++;
            continue;
        }
        unsigned long carry = 0;
        for (int i = low; i < n; i++) {
            carry += words[i] * 1000000000ul;
            words[i] = (unsigned)carry;
            carry >>= 32;
        }
        char block[9];
        nine_digits(block, (unsigned)carry);
        for (int i = 0; i < 9; i++) {
            if (d->n == 0 && block[i] == 0) d->point--;
            else d->digit[d->n++] = block[i];
        }
        produced += 9;
        if (produced > places && (significant < 0 || d->n > significant)) {
            unsigned rest = 0;
            for (int i = low; i < n; i++) rest |= words[i];
            if (d->n && rest) d->digit[d->n++] = 1;
            return;
        }
    }
}

/* `places` digits behind the point and `significant` ones (if not negative) have to be exact. */
static void expand(struct decimal *d, unsigned long mantissa, int exponent, int places, int significant) {
    d->n = 0;
    d->point = 0;
    if (mantissa == 0) return;
    if (exponent >= 0) {
        whole(d, mantissa, exponent);
        return;
    }
    int shift = -exponent;
    if (shift < 64 && mantissa >> shift) whole(d, mantissa >> shift, 0);
    unsigned long rest = shift < 64 ? mantissa & ((1ul << shift) - 1) : mantissa;
    if (rest) fraction(d, rest, shift, places, significant);
}

/* Keeps the first `keep` digits (may be <= 0), rounded half to even. */
static void round_to(struct decimal *d, int keep) {
    if (keep >= d->n) return;
    if (keep < 0) {
        d->n = 0;
        return;
    }
    int first = d->digit[keep], up = first > 5;
    if (first == 5) {
        up = keep > 0 && (d->digit[keep - 1] & 1);
        for (int i = keep + 1; i < d->n; i++) up |= d->digit[i] != 0;
    }
    d->n = keep;
    if (!up) return;
    while (d->n > 0 && d->digit[d->n - 1] == 9) d->n--;
    if (d->n > 0) {
        d->digit[d->n - 1]++;
    } else {
        d->digit[0] = 1;
        d->n = 1;
        d->point++;
    }
}

static char digit_at(const struct decimal *d, int i) {
    return (char)('0' + (i >= 0 && i < d->n ? d->digit[i] : 0));
}

static int put_exponent(char *to, int exponent, char letter, int at_least) {
    char digits[8];
    int n = 0, k = 0;
    unsigned e = exponent < 0 ? -(unsigned)exponent : (unsigned)exponent;
    do digits[n++] = (char)('0' + e % 10);
    while (e /= 10);
    while (n < at_least) digits[n++] = '0';
    to[k++] = letter;
    to[k++] = exponent < 0 ? '-' : '+';
    while (n) to[k++] = digits[--n];
    return k;
}

/* Writes sign, digits and padding; `fixed` digits are what `body` already holds, `zeros` go before `tail`. */
static void put(struct ics_sink *sink, const struct ics_spec *spec, const char *prefix, const char *body, int n,
                int zeros, const char *tail, int tail_length) {
    int prefix_length = (int)strlen(prefix);
    int fill = spec->width - prefix_length - n - zeros - tail_length;
    int zero_fill = spec->zero && !spec->minus;
    if (!spec->minus && !zero_fill) ics_pad(sink, ' ', fill);
    ics_put(sink, prefix, (size_t)prefix_length);
    if (zero_fill) ics_pad(sink, '0', fill);
    ics_put(sink, body, (size_t)n);
    ics_pad(sink, '0', zeros);
    ics_put(sink, tail, (size_t)tail_length);
    if (spec->minus) ics_pad(sink, ' ', fill);
}

/* ddd.ddd: digits before the point, then `places` behind it. Digits beyond those known are zeros. */
static void put_fixed(struct ics_sink *sink, const struct ics_spec *spec, const char *prefix, const struct decimal *d,
                      int places) {
    char body[MAX_DIGITS + 320];
    int n = 0;
    for (int i = 0; i < d->point; i++) body[n++] = digit_at(d, i);
    if (d->point <= 0 || d->n == 0) n = 0, body[n++] = '0';
    if (places > 0 || spec->alternate) body[n++] = '.';
    int start = d->n ? d->point : 0, known = d->n ? d->n - d->point : 0;
    if (known < 0) known = 0;
    if (known > places) known = places;
    for (int i = 0; i < known; i++) body[n++] = digit_at(d, start + i);
    put(sink, spec, prefix, body, n, places - known, "", 0);
}

/* d.ddde+xx with `places` digits behind the point. */
static void put_scientific(struct ics_sink *sink, const struct ics_spec *spec, const char *prefix,
                           const struct decimal *d, int places, char letter) {
    char body[MAX_DIGITS + 4], tail[12];
    int n = 0;
    body[n++] = digit_at(d, 0);
    if (places > 0 || spec->alternate) body[n++] = '.';
    int known = d->n > 0 ? d->n - 1 : 0;
    if (known > places) known = places;
    for (int i = 0; i < known; i++) body[n++] = digit_at(d, 1 + i);
    int length = put_exponent(tail, d->n ? d->point - 1 : 0, letter, 2);
    put(sink, spec, prefix, body, n, places - known, tail, length);
}

static void put_general(struct ics_sink *sink, const struct ics_spec *spec, const char *prefix, struct decimal *d,
                        int significant, char letter) {
    round_to(d, significant);
    int exponent = d->n ? d->point - 1 : 0;
    if (!spec->alternate) {
        while (d->n > 0 && d->digit[d->n - 1] == 0) d->n--;
        if (significant > d->n) significant = d->n > 0 ? d->n : 1;
    }
    if (exponent < -4 || exponent >= (spec->precision < 0 ? 6 : spec->precision ? spec->precision : 1)) {
        put_scientific(sink, spec, prefix, d, significant - 1, letter);
        return;
    }
    int places = significant - 1 - exponent;
    put_fixed(sink, spec, prefix, d, places < 0 ? 0 : places);
}

/* 0xh.hhhp+d of a nonzero mantissa of 53 bits (or fewer, subnormal) as glibc prints it. */
static void put_hexadecimal(struct ics_sink *sink, const struct ics_spec *spec, const char *sign, unsigned long bits,
                            int upper) {
    unsigned long mantissa = bits & 0xfffffffffffff;
    int biased = (int)(bits >> 52 & 0x7ff);
    unsigned long lead = biased != 0;
    int exponent = biased ? biased - 1023 : mantissa ? -1022 : 0;
    int places = spec->precision;
    if (places >= 0 && places < 13) {
        int drop = 52 - 4 * places;
        unsigned long all = lead << 52 | mantissa, half = 1ul << (drop - 1);
        unsigned long rest = all & ((1ul << drop) - 1);
        all >>= drop;
        if (rest > half || (rest == half && (all & 1))) all++;
        all <<= drop;
        lead = all >> 52;
        mantissa = all & 0xfffffffffffff;
    }
    const char *symbols = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    char prefix[8], body[20], tail[12];
    int n = 0, k = 0;
    while (*sign) prefix[k++] = *sign++;
    prefix[k++] = '0';
    prefix[k++] = upper ? 'X' : 'x';
    prefix[k] = 0;
    body[n++] = symbols[lead];
    int known = 0;
    for (unsigned long rest = mantissa; rest; rest = rest << 4 & 0xfffffffffffff) known++;
    if (places < 0) places = known;
    if (places > 0 || spec->alternate) body[n++] = '.';
    if (known > places) known = places;
    for (int i = 0; i < known; i++) body[n++] = symbols[mantissa >> (48 - 4 * i) & 15];
    int length = put_exponent(tail, exponent, upper ? 'P' : 'p', 1);
    put(sink, spec, prefix, body, n, places - known, tail, length);
}

void ics_format_double(struct ics_sink *sink, const struct ics_spec *given, double value) {
    struct ics_spec spec = *given;
    unsigned long bits = __builtin_bit_cast(unsigned long, value);
    int upper = spec.conversion < 'a';
    char kind = (char)(spec.conversion | 32);
    const char *sign = bits >> 63 ? "-" : spec.plus ? "+" : spec.space ? " " : "";
    int biased = (int)(bits >> 52 & 0x7ff);
    unsigned long mantissa = bits & 0xfffffffffffff;
    if (biased == 0x7ff) {
        spec.zero = 0;
        put(sink, &spec, sign, mantissa ? upper ? "NAN" : "nan" : upper ? "INF" : "inf", 3, 0, "", 0);
        return;
    }
    if (kind == 'a') {
        put_hexadecimal(sink, &spec, sign, bits, upper);
        return;
    }
    if (biased) mantissa |= 1ul << 52;
    int exponent = (biased ? biased : 1) - 1075;
    int precision = spec.precision < 0 ? 6 : spec.precision;
    struct decimal d;
    if (kind == 'f') {
        expand(&d, mantissa, exponent, precision, -1);
        round_to(&d, d.point + precision);
        put_fixed(sink, &spec, sign, &d, precision);
    } else if (kind == 'e') {
        expand(&d, mantissa, exponent, 0, precision + 1);
        round_to(&d, precision + 1);
        put_scientific(sink, &spec, sign, &d, precision, upper ? 'E' : 'e');
    } else {
        if (precision == 0) precision = 1;
        expand(&d, mantissa, exponent, 0, precision);
        put_general(sink, &spec, sign, &d, precision, upper ? 'E' : 'e');
    }
}
