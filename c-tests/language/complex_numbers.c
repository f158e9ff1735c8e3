// Complex products and quotients in three precisions, with zeros, infinities, NaNs and numbers at the ends of the range.
// exec: 1
// exec: 88172645463325252
// levels: O0 O1
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state;

static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static double number(void)
{
    static const double ends[] = { 0, -0.0, 1, HUGE_VAL, -HUGE_VAL, NAN, 0x1p-1074, 0x1p-1022, 0x1.fp1023, 0x1p-600 };
    if (next() % 2) return ends[next() % 10];
    return ldexp((double)(int64_t)next(), (int)(next() % 100) - 50);
}

/* Which NaN it is is left open. */
static void show(const char *what, long double re, long double im)
{
    printf("%s %La %La\n", what, re != re ? -7 : re, im != im ? -7 : im);
}

int main(int argc, char **argv)
{
    state = argc > 1 ? strtoul(argv[1], 0, 10) : 1;
    for (int i = 0; i < 200; i++) {
        volatile double complex a = __builtin_complex(number(), number()), b = __builtin_complex(number(), number());
        volatile float complex c = (float complex)a, d = (float complex)b;
        volatile long double complex e = a, f = b;
        double complex x = a * b, y = a / b;
        float complex u = c * d, v = c / d;
        long double complex p = e * f, q = e / f;
        show("a * b", creal(x), cimag(x));
        show("a / b", creal(y), cimag(y));
        show("c * d", crealf(u), cimagf(u));
        show("c / d", crealf(v), cimagf(v));
        show("e * f", creall(p), cimagl(p));
        show("e / f", creall(q), cimagl(q));
        show("conj", creal(conj(a)), cimag(conj(a)));
        show("abs", cabs(a), carg(b));
        show("power", __builtin_powi(creal(a), i % 20 - 10), 0);
    }
    return 0;
}
