/* Division of 128-bit integers, and conversions between them and floats: what a compiler's runtime library does for
 * instructions that no machine has. The frontend calls these for such instructions; everything else on wide integers
 * it computes itself, 64 bits at a time. A division by zero ends in one of 64-bit numbers by zero, and is found
 * there. */
#include "ics.h"

typedef unsigned __int128 wide;
typedef __int128 signed_wide;

static uint64_t high(wide a)
{
    return (uint64_t)(a >> 64);
}

static uint64_t low(wide a)
{
    return (uint64_t)a;
}

static wide join(uint64_t upper, uint64_t lower)
{
    return (wide)upper << 64 | lower;
}

/* One digit of base 2^32 of the quotient of `upper:next` by `divisor`, whose highest bit is set: guessed from the
 * divisor's upper half, and at most twice too large. */
static uint64_t quotient_digit(uint64_t upper, uint64_t next, uint64_t divisor)
{
    uint64_t first = divisor >> 32, second = divisor & 0xffffffff;
    uint64_t digit = upper / first, rest = upper % first;
    while (digit >> 32 || digit * second > (rest << 32 | next)) {
        digit--;
        rest += first;
        if (rest >> 32)
            break;
    }
    return digit;
}

/* Quotient of a 128-bit number by a 64-bit one that is larger than the number's upper half. */
static uint64_t divide_narrow(uint64_t upper, uint64_t lower, uint64_t divisor, uint64_t *rest)
{
    int shift = __builtin_clzll(divisor);
    divisor <<= shift;
    if (shift)
        upper = upper << shift | lower >> (64 - shift);
    lower <<= shift;
    uint64_t first = quotient_digit(upper, lower >> 32, divisor);
    uint64_t middle = (upper << 32 | lower >> 32) - first * divisor;
    uint64_t second = quotient_digit(middle, lower & 0xffffffff, divisor);
    *rest = ((middle << 32 | (lower & 0xffffffff)) - second * divisor) >> shift;
    return first << 32 | second;
}

/* Quotient by a number of more than 64 bits: it has at most 64 bits itself. An estimate from the divisor's leading 64
 * bits is at most one too large. */
static wide divide_long(wide a, wide b, wide *rest)
{
    int shift = __builtin_clzll(high(b));
    uint64_t leading = high(b << shift), unused;
    wide half = a >> 1;
    uint64_t estimate = divide_narrow(high(half), low(half), leading, &unused);
    uint64_t quotient = shift ? estimate >> (63 - shift) : estimate >> 63;
    if (quotient)
        quotient--;
    *rest = a - quotient * b;
    if (*rest >= b) {
        *rest -= b;
        quotient++;
    }
    return quotient;
}

static wide divide(wide a, wide b, wide *rest)
{
    if (high(b))
        return divide_long(a, b, rest);
    if (high(a) == 0) {
        *rest = low(a) % low(b);
        return low(a) / low(b);
    }
    uint64_t upper = high(a) / low(b), remainder;
    uint64_t lower = divide_narrow(high(a) % low(b), low(a), low(b), &remainder);
    *rest = remainder;
    return join(upper, lower);
}

wide __udivti3(wide a, wide b)
{
    wide rest;
    return divide(a, b, &rest);
}

wide __umodti3(wide a, wide b)
{
    wide rest;
    divide(a, b, &rest);
    return rest;
}

static wide magnitude(signed_wide a)
{
    return a < 0 ? -(wide)a : (wide)a;
}

signed_wide __divti3(signed_wide a, signed_wide b)
{
    wide rest, quotient = divide(magnitude(a), magnitude(b), &rest);
    return (signed_wide)((a < 0) == (b < 0) ? quotient : -quotient);
}

signed_wide __modti3(signed_wide a, signed_wide b)
{
    wide rest;
    divide(magnitude(a), magnitude(b), &rest);
    return (signed_wide)(a < 0 ? -rest : rest);
}

/* A number of more than 64 bits with its leading 62 bits and a last one that says whether others follow: it rounds
 * to a float or double as the number itself does. */
static uint64_t leading_bits(wide a, int *exponent)
{
    int shift = 64 - __builtin_clzll(high(a)) + 1;
    *exponent = shift;
    return low(a >> shift) | (a << (128 - shift) != 0);
}

static double power_of_two(int exponent)
{
    union { uint64_t bits; double number; } power = { (uint64_t)(1023 + exponent) << 52 };
    return power.number;
}

double __floatuntidf(wide a)
{
    int exponent;
    if (high(a) == 0)
        return (double)low(a);
    uint64_t leading = leading_bits(a, &exponent);
    return (double)leading * power_of_two(exponent);
}

double __floattidf(signed_wide a)
{
    return a < 0 ? -__floatuntidf(magnitude(a)) : __floatuntidf((wide)a);
}

/* 2^128 - 1 rounds to infinity: the product does. */
float __floatuntisf(wide a)
{
    int exponent;
    if (high(a) == 0)
        return (float)low(a);
    uint64_t leading = leading_bits(a, &exponent);
    return (float)leading * (float)power_of_two(exponent);
}

float __floattisf(signed_wide a)
{
    return a < 0 ? -__floatuntisf(magnitude(a)) : __floatuntisf((wide)a);
}

/* Out of range gives what the common runtime library does: the nearest number; a NaN counts by its sign and
   exponent. */
static wide whole_part(double a, int is_signed)
{
    union { double number; uint64_t bits; } parts = { a };
    int exponent = (int)(parts.bits >> 52 & 0x7ff) - 1023;
    int negative = (int)(parts.bits >> 63);
    uint64_t significand = (parts.bits & 0xfffffffffffff) | 0x10000000000000;
    if (exponent < 0 || (negative && !is_signed))
        return 0;
    if (exponent >= (is_signed ? 127 : 128))
        return is_signed ? join(0x7fffffffffffffff, ~0ul) + (wide)negative : ~(wide)0;
    wide number = exponent < 52 ? significand >> (52 - exponent) : (wide)significand << (exponent - 52);
    return negative ? -number : number;
}

wide __fixunsdfti(double a)
{
    return whole_part(a, 0);
}

signed_wide __fixdfti(double a)
{
    return (signed_wide)whole_part(a, 1);
}

wide __fixunssfti(float a)
{
    return whole_part(a, 0);
}

signed_wide __fixsfti(float a)
{
    return (signed_wide)whole_part(a, 1);
}
