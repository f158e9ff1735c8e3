/* Floating-point output, exact: a number is an integer times a power of two, so its decimal expansion is finite; it is
 * computed with integers of 32-bit words and rounded once, half to even. */
#include "ics_x87.h"

#include <string.h>

#include "ics_stdio.h"

/* Words of 2^1023 and 52 more bits, or of 2^16383 and 63; digits before the point or behind it, and a block of nine. */
enum { FEW_WORDS = 36, MANY_WORDS = 520, FEW_DIGITS = 1140, MANY_DIGITS = 16500 };

/* A finite number is mantissa * 2^exponent. */
struct real {
    int negative;
    unsigned long mantissa;
    int exponent;
};

/* value = 0.d1 d2 d3 ... * 10^point; no leading zeros; n == 0 for zero. */
struct decimal {
    int n;
    int point;
    char *digit;
    unsigned *words; /* to compute with */
    int word_count;
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
    unsigned *words = d->words;
    int at = shift / 32, bits = shift % 32;
    __ics_memset(words, 0, (size_t)(at + 3) * sizeof *words);
    unsigned long low = (mantissa & 0xffffffff) << bits, high = (mantissa >> 32) << bits;
    words[at] = (unsigned)low;
    high += low >> 32;
    words[at + 1] = (unsigned)high;
    words[at + 2] = (unsigned)(high >> 32);
    /* From the last digit to the first at the end of the room, then moved to the front. */
    int n = at + 3, room = d->word_count == FEW_WORDS ? FEW_DIGITS : MANY_DIGITS, first = room;
    while (n > 0) {
        if (words[n - 1] == 0) n--;
        else nine_digits(d->digit + (first -= 9), divide(words, n));
    }
    while (first < room && d->digit[first] == 0) first++;
    d->n = room - first;
    __ics_memmove(d->digit, d->digit + first, (size_t)d->n);
    d->point = d->n;
}

/* Appends the digits of fraction / 2^shift until there are none or `enough(d)`; a rest becomes one digit 1, which is
 * all that rounding needs to know. */
static void fraction(struct decimal *d, unsigned long value, int shift, int places, int significant) {
    unsigned *words = d->words;
    int n = (shift + 31) / 32, top = n * 32 - shift;
    __ics_memset(words, 0, (size_t)n * sizeof *words);
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

/* The parts of a number in the order of output. */
struct layout {
    const char *prefix;
    const char *whole; /* digits before the point, as values; then zeros */
    int whole_length, whole_zeros;
    int point;
    int lead_zeros;    /* behind the point, then digits, then zeros */
    const char *behind;
    int behind_length, behind_zeros;
    const char *tail;
    int tail_length;
};

static void put_digits(struct ics_sink *sink, const char *digits, int n) {
    char text[64];
    while (n > 0) {
        int k = ICS_MIN(n, 64);
        for (int i = 0; i < k; i++) text[i] = (char)('0' + digits[i]);
        ics_put(sink, text, (size_t)k);
        digits += k;
        n -= k;
    }
}

static void put(struct ics_sink *sink, const struct ics_spec *spec, const struct layout *l) {
    int prefix_length = (int)strlen(l->prefix), zero_fill = spec->zero && !spec->minus;
    int fill = spec->width - prefix_length - l->whole_length - l->whole_zeros - l->point - l->lead_zeros -
               l->behind_length - l->behind_zeros - l->tail_length;
    if (!spec->minus && !zero_fill) ics_pad(sink, ' ', fill);
    ics_put(sink, l->prefix, (size_t)prefix_length);
    if (zero_fill) ics_pad(sink, '0', fill);
    put_digits(sink, l->whole, l->whole_length);
    ics_pad(sink, '0', l->whole_zeros);
    if (l->point) ics_put(sink, ".", 1);
    ics_pad(sink, '0', l->lead_zeros);
    put_digits(sink, l->behind, l->behind_length);
    ics_pad(sink, '0', l->behind_zeros);
    ics_put(sink, l->tail, (size_t)l->tail_length);
    if (spec->minus) ics_pad(sink, ' ', fill);
}

/* ddd.ddd: digits before the point, then `places` behind it. Digits beyond those known are zeros. */
static void put_fixed(struct ics_sink *sink, const struct ics_spec *spec, const char *prefix, const struct decimal *d,
                      int places) {
    struct layout l = {.prefix = prefix, .whole = d->digit, .behind = d->digit, .tail = ""};
    int whole = d->n && d->point > 0 ? d->point : 0;
    l.whole_length = ICS_MIN(whole, d->n);
    l.whole_zeros = whole ? whole - l.whole_length : 1;
    l.point = places > 0 || spec->alternate;
    l.lead_zeros = d->n == 0 ? places : d->point < 0 ? ICS_MIN(-d->point, places) : 0;
    l.behind += l.whole_length;
    l.behind_length = ICS_MIN(d->n - l.whole_length, places - l.lead_zeros);
    l.behind_zeros = places - l.lead_zeros - l.behind_length;
    put(sink, spec, &l);
}

/* d.ddde+xx with `places` digits behind the point. */
static void put_scientific(struct ics_sink *sink, const struct ics_spec *spec, const char *prefix,
                           const struct decimal *d, int places, char letter) {
    char tail[12];
    struct layout l = {.prefix = prefix, .whole = d->digit, .behind = d->digit + 1, .tail = tail};
    l.whole_length = d->n > 0;
    l.whole_zeros = !l.whole_length;
    l.point = places > 0 || spec->alternate;
    l.behind_length = ICS_MIN(d->n > 0 ? d->n - 1 : 0, places);
    l.behind_zeros = places - l.behind_length;
    l.tail_length = put_exponent(tail, d->n ? d->point - 1 : 0, letter, 2);
    put(sink, spec, &l);
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

/* 0xh.hhhp+d of a mantissa with `below` bits behind the first digit, which is what is left of it. */
static void put_hexadecimal(struct ics_sink *sink, const struct ics_spec *spec, const char *sign,
                            const struct real *x, int below, int upper) {
    unsigned long all = x->mantissa, mask = (1ul << below) - 1, lead = all >> below;
    int exponent = all ? x->exponent + below : 0, places = spec->precision;
    if (places >= 0 && places < below / 4) {
        int drop = below - 4 * places;
        unsigned long half = 1ul << (drop - 1), rest = all & ((1ul << drop) - 1);
        all >>= drop;
        if (rest > half || (rest == half && (all & 1))) all++;
        lead = all >> (below - drop);
        all = places ? all << drop : 0;
        if (lead == 16) {
            lead = 1;
            exponent += 4;
        }
    }
    all &= mask;
    const char *symbols = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    char prefix[8], body[20], tail[12];
    int n = 0, k = 0, known = 0;
    while (*sign) prefix[k++] = *sign++;
    prefix[k++] = '0';
    prefix[k++] = upper ? 'X' : 'x';
    prefix[k] = 0;
    for (unsigned long rest = all; rest; rest = rest << 4 & mask) known++;
    if (places < 0) places = known;
    body[n++] = symbols[lead];
    if (places > 0 || spec->alternate) body[n++] = '.';
    if (known > places) known = places;
    for (int i = 0; i < known; i++) body[n++] = symbols[all >> (below - 4 - 4 * i) & 15];
    int length = put_exponent(tail, exponent, upper ? 'P' : 'p', 1), zeros = places - known;
    int zero_fill = spec->zero && !spec->minus, fill = spec->width - k - n - zeros - length;
    if (!spec->minus && !zero_fill) ics_pad(sink, ' ', fill);
    ics_put(sink, prefix, (size_t)k);
    if (zero_fill) ics_pad(sink, '0', fill);
    ics_put(sink, body, (size_t)n);
    ics_pad(sink, '0', zeros);
    ics_put(sink, tail, (size_t)length);
    if (spec->minus) ics_pad(sink, ' ', fill);
}

static const char *sign_of(const struct ics_spec *spec, int negative) {
    return negative ? "-" : spec->plus ? "+" : spec->space ? " " : "";
}

static void put_special(struct ics_sink *sink, const struct ics_spec *spec, int negative, int is_nan) {
    int upper = spec->conversion < 'a';
    const char *sign = sign_of(spec, negative), *name = is_nan ? upper ? "NAN" : "nan" : upper ? "INF" : "inf";
    int fill = spec->width - 3 - (int)strlen(sign);
    if (!spec->minus) ics_pad(sink, ' ', fill);
    ics_put(sink, sign, strlen(sign));
    ics_put(sink, name, 3);
    if (spec->minus) ics_pad(sink, ' ', fill);
}

/* e, f and g. */
static void put_decimal(struct ics_sink *sink, const struct ics_spec *spec, const struct real *x, struct decimal *d) {
    char kind = (char)(spec->conversion | 32), letter = spec->conversion < 'a' ? 'E' : 'e';
    const char *sign = sign_of(spec, x->negative);
    int precision = spec->precision < 0 ? 6 : spec->precision;
    if (kind == 'f') {
        expand(d, x->mantissa, x->exponent, precision, -1);
        round_to(d, d->point + precision);
        put_fixed(sink, spec, sign, d, precision);
    } else if (kind == 'e') {
        expand(d, x->mantissa, x->exponent, 0, precision + 1);
        round_to(d, precision + 1);
        put_scientific(sink, spec, sign, d, precision, letter);
    } else {
        if (precision == 0) precision = 1;
        expand(d, x->mantissa, x->exponent, 0, precision);
        put_general(sink, spec, sign, d, precision, letter);
    }
}

void ics_format_double(struct ics_sink *sink, const struct ics_spec *spec, double value) {
    unsigned long bits = __builtin_bit_cast(unsigned long, value);
    int biased = (int)(bits >> 52 & 0x7ff);
    struct real x = {bits >> 63, bits & 0xfffffffffffff, (biased ? biased : 1) - 1075};
    if (biased == 0x7ff) {
        put_special(sink, spec, x.negative, x.mantissa != 0);
        return;
    }
    if (biased) x.mantissa |= 1ul << 52;
    if ((spec->conversion | 32) == 'a') {
        put_hexadecimal(sink, spec, sign_of(spec, x.negative), &x, 52, spec->conversion < 'a');
        return;
    }
    char digit[FEW_DIGITS];
    unsigned words[FEW_WORDS];
    struct decimal d = {.digit = digit, .words = words, .word_count = FEW_WORDS};
    put_decimal(sink, spec, &x, &d);
}

void ics_format_long_double(struct ics_sink *sink, const struct ics_spec *spec, long double value) {
    union {
        long double value;
        struct ics_x87 bits;
    } u;
    u.value = value;
    int biased = u.bits.se & 0x7fff;
    struct real x = {u.bits.se >> 15, u.bits.m, (biased ? biased : 1) - 16383 - 63};
    if (biased == 0x7fff) {
        put_special(sink, spec, x.negative, x.mantissa << 1 != 0);
        return;
    }
    if ((spec->conversion | 32) == 'a') {
        put_hexadecimal(sink, spec, sign_of(spec, x.negative), &x, 60, spec->conversion < 'a');
        return;
    }
    char digit[MANY_DIGITS];
    unsigned words[MANY_WORDS];
    struct decimal d = {.digit = digit, .words = words, .word_count = MANY_WORDS};
    put_decimal(sink, spec, &x, &d);
}
