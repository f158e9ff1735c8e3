/* Half precision and bfloat, as bits: conversions from and to the floats that the IR computes with, exact or rounded to
 * nearest even. The frontend calls these; arithmetic happens in `float`. */
#include "ics.h"

static uint32_t float_bits(float a) {
    union { float number; uint32_t bits; } parts = {a};
    return parts.bits;
}

static float float_of(uint32_t bits) {
    union { uint32_t bits; float number; } parts = {bits};
    return parts.number;
}

static uint64_t double_bits(double a) {
    union { double number; uint64_t bits; } parts = {a};
    return parts.bits;
}

float __extendhfsf2(uint16_t a) {
    uint32_t sign = (uint32_t)(a & 0x8000) << 16, exponent = a >> 10 & 31, fraction = a & 0x3ff;
    if (exponent == 31) return float_of(sign | 0x7f800000 | fraction << 13 | (fraction ? 0x400000 : 0));
    if (exponent) return float_of(sign | (exponent + 112) << 23 | fraction << 13);
    /* Zero or subnormal: a multiple of 2^-24. */
    return float_of(sign | float_bits((float)fraction * 0x1p-24f));
}

/* `significand` without its lowest `drop` bits, rounded to nearest even. */
static uint64_t rounded(uint64_t significand, int drop) {
    if (drop > 63) return 0;
    uint64_t kept = significand >> drop, rest = significand & ((1ul << drop) - 1), half = 1ul << drop >> 1;
    return kept + (rest > half || (rest == half && drop && (kept & 1)));
}

/* A double rounded to 5 bits of exponent and 10 of fraction. A carry out of the fraction is the next exponent's first
 * number, and out of the last exponent infinity. */
uint16_t __truncdfhf2(double a) {
    uint64_t bits = double_bits(a), fraction = bits & 0xfffffffffffff;
    uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    if (exponent == 1024) return (uint16_t)(sign | 0x7c00 | (fraction ? 0x200 | fraction >> 42 : 0));
    if (exponent > 15) return sign | 0x7c00;
    uint64_t significand = fraction | 1ul << 52;
    if (exponent < -14) return (uint16_t)(sign | rounded(significand, 42 - 14 - exponent));
    return (uint16_t)(sign | (((uint64_t)(exponent + 14) << 10) + rounded(significand, 42)));
}

uint16_t __truncsfhf2(float a) {
    return __truncdfhf2((double)a);
}

uint16_t __truncsfbf2(float a) {
    uint32_t bits = float_bits(a);
    if ((bits & 0x7fffffff) > 0x7f800000) return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)rounded(bits, 16);
}

/* First to a float whose last bit says whether anything was cut off (round to odd), so that the second rounding is the
 * only one. */
uint16_t __truncdfbf2(double a) {
    float near = (float)a;
    uint32_t bits = float_bits(near);
    if ((double)near != a && a == a && !(bits & 1)) {
        double magnitude = a < 0 ? -a : a, cut = near < 0 ? -(double)near : (double)near;
        bits = cut > magnitude ? bits - 1 : bits | 1;
    }
    return __truncsfbf2(float_of(bits));
}
