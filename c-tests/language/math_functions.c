// math.h for double and float: results to the last bit, and errno.
// exec: 1
// exec: 88172645463325252
// levels: O0 O2
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* Ordinary numbers, small integers, the ends of the range, infinities and NaN. */
static double number(void)
{
    static const double ends[] = { 0, -0.0, 1, -1, HUGE_VAL, -HUGE_VAL, 0.5, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023 };
    uint64_t bits = next();
    double x;
    switch (next() % 6) {
    case 0: return ends[next() % 10];
    case 1: return (double)(int)(next() % 64) - 32;
    case 2: return ((double)(next() % 4096) - 2048) / 2;
    case 3: bits = (bits & ~(0x7fful << 52)) | (1003 + next() % 40) << 52;
    }
    memcpy(&x, &bits, 8);
    return x != x ? NAN : x;
}

/* Which NaN comes out of a NaN is left open. */
static void show(const char *name, double x, double y, double result)
{
    uint64_t bits;
    memcpy(&bits, &result, 8);
    if (result != result && (x != x || y != y)) bits = 0;
    printf("%s(%a, %a) is %016lx, %d\n", name, x, y, bits, errno);
    errno = 0;
}

#define ONE(name) show(#name, x, 0, name(x)); show(#name "f", a, 0, name##f(a));
#define TWO(name) show(#name, x, y, name(x, y)); show(#name "f", a, b, name##f(a, b));

static void functions(double x, double y, float a, float b)
{
    ONE(sin) ONE(cos) ONE(tan) ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(tanh) ONE(asinh) ONE(acosh)
    ONE(atanh) ONE(exp) ONE(exp2) ONE(expm1) ONE(log) ONE(log2) ONE(log10) ONE(log1p) ONE(cbrt) ONE(erf) ONE(erfc)
    ONE(lgamma) ONE(tgamma) ONE(sqrt) ONE(floor) ONE(ceil) ONE(trunc) ONE(rint) ONE(nearbyint) ONE(round) ONE(logb)
    TWO(pow) TWO(atan2) TWO(hypot) TWO(fmod) TWO(remainder) TWO(fdim) TWO(nextafter) TWO(copysign)
}

static void parts(double x, double y, float a, float b)
{
    int n = 0, shift = (int)(next() % 4400) - 2200;
    double whole = 0;
    float whole_float = 0;
    show("frexp", x, 0, frexp(x, &n));
    show("modf", x, 0, modf(x, &whole));
    show("whole", x, 0, whole);
    show("modff", a, 0, modff(a, &whole_float));
    printf("%d\n", x == x && x - x == 0 ? n : 0);
    n = 0;
    show("remquo", x, y, remquo(x, y, &n));
    printf("%d\n", n);
    show("ldexp", x, shift, ldexp(x, shift));
    show("ldexpf", a, shift / 10, ldexpf(a, shift / 10));
    show("fma", x, y, fma(x, y, -x * y));
    show("fmaf", a, b, fmaf(a, b, -a * b));
    show("nexttoward", x, y, nexttoward(x, y));
    printf("%d\n", ilogb(x));
    if (fabs(x) < 1e18) printf("%ld %ld\n", lround(x), lrint(x));
}

int main(int argc, char **argv)
{
    state = argc > 1 ? strtoul(argv[1], 0, 10) : 1;
    for (int i = 0; i < 40; i++) {
        volatile double x = number(), y = i % 5 ? number() : x;
        volatile float a = (float)number(), b = (float)number();
        functions(x, y, a, b);
        parts(x, y, a, b);
    }
    printf("%a %a\n", fmin(1, NAN), fmax(NAN, -2));
    return 0;
}
