// x86 long double, bit by bit: arithmetic, comparisons, conversions, rounding, constants, memory, calls, variable
// arguments. The operands are the argument's and a few at the ends of the range.
// exec: 1
// exec: 88172645463325252
// levels: O0 O1 O2 O3
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record { char tag; long double value; int end; };

static uint64_t state;

static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static void show(const char *what, long double x)
{
    uint64_t significand;
    uint16_t rest;
    memcpy(&significand, &x, 8);
    memcpy(&rest, (char *)&x + 8, 2);
    printf("%s %016lx:%04x\n", what, significand, rest);
}

/* Exponents near that of 1, or anywhere; sometimes a subnormal or an infinity. */
static long double number(void)
{
    uint64_t significand = next() | 1ul << 63;
    unsigned exponent = next() % 2 ? 16383 + next() % 130 - 65 : next() & 0x7fff;
    if (exponent == 0) significand &= ~0ul >> 1;
    if (exponent == 0x7fff) significand = 1ul << 63;
    uint16_t rest = (uint16_t)(exponent | (next() & 0x8000));
    long double x = 0;
    memcpy(&x, &significand, 8);
    memcpy((char *)&x + 8, &rest, 2);
    return x;
}

static long double weighted(int n, ...)
{
    va_list list;
    long double sum = 0;
    va_start(list, n);
    for (int i = 0; i < n; i++) {
        int weight = va_arg(list, int);
        sum += va_arg(list, long double) * weight;
    }
    va_end(list);
    return sum;
}

static struct record make(long double x)
{
    struct record r = { 'r', x / 3, 7 };
    return r;
}

static void pair(long double a, long double b)
{
    show("+", a + b);
    show("-", a - b);
    show("*", a * b);
    show("/", a / b);
    show("neg", -a);
    show("choice", a < b ? a : b);
    printf("%d%d%d%d%d%d%d\n", a < b, a <= b, a > b, a >= b, a == b, a != b, isunordered(a, b));
    show("abs", fabsl(a));
    show("sign", copysignl(a, b));
    show("floor", floorl(a));
    show("ceil", ceill(a));
    show("trunc", truncl(a));
    show("round", roundl(a));
    show("rint", rintl(a));
    show("root", sqrtl(fabsl(a)));
    show("rest", fmodl(a, b));
    show("min", fminl(a, b));
    show("fused", fmal(a, b, -a));
    printf("%a %a\n", (double)a, (float)a);
    printf("%d%d%d%d%d\n", !!isnan(a), !!isinf(a), !!isfinite(a), !!isnormal(a), !!signbit(a));
}

static void integers(void)
{
    uint64_t q = next();
    show("i64", (long double)(int64_t)q);
    show("u64", (long double)q);
    show("i32", (long double)(int32_t)q);
    show("i8", (long double)(signed char)q);
    show("i128", (long double)((__int128)q * (int64_t)next()));
    show("f64", (long double)((double)(int64_t)q / 7));
    long double x = (long double)q / 3;
    printf("%ld %lu %d %d\n", (int64_t)(x / 2), (uint64_t)x, (int)(x / 1e10L), (short)(x / 1e15L));
    unsigned __int128 wide = (unsigned __int128)(x * 1e10L);
    printf("%lx%016lx\n", (uint64_t)(wide >> 64), (uint64_t)wide);
}

static void text(long double x)
{
    char line[200];
    long double back = 0, scanned = 0;
    printf("%Lf %.30Le %Lg %La %#.0Lf|%-20.3Lg|%+020.5Le\n", x, x, x, x, x, x, x);
    snprintf(line, sizeof line, "%.21Lg", x);
    back = strtold(line, 0);
    sscanf(line, "%Lf", &scanned);
    printf("%s %d %d\n", line, back == x, scanned == x);
    show("hex", strtold("0x1.23456789abcdef0123p-7", 0));
}

static long double table[] = { 1.5L, -2.25e400L, 3.14159265358979323846L, 0x1.23456789abcdefp-16440L };

int main(int argc, char **argv)
{
    state = argc > 1 ? strtoul(argv[1], 0, 10) : 1;
    for (int i = 0; i < 60; i++) {
        long double a = number(), b = i % 4 ? number() : -a / 2;
        pair(a, b);
        integers();
    }
    show("table", table[0] * table[1] + table[2] * table[3]);
    table[1] += 1;
    show("table", table[1]);
    show("weighted", weighted(3, 1, 2.0L, 2, table[2], -1, table[3]));
    show("record", make(table[2]).value);
    text(number());
    text(table[1]);
    text(table[3]);
    volatile long double large = 1e4000L;
    show("inf", large * large);
    show("nan", large * large - large * large);
    return 0;
}
