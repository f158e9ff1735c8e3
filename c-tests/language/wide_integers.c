// Integers of 128 bits: carries, products, shifts across the halves, division, comparison, conversions, memory, calls,
// variable arguments.
// exec: 7 3
// exec: -9 64
// exec: 1000003 127
// levels: O0 O1 O2 O3
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef __int128 wide;
typedef unsigned __int128 uwide;

struct record { char tag; wide value; short end; };

static void show(const char *what, uwide v)
{
    printf("%s %016lx%016lx\n", what, (unsigned long)(v >> 64), (unsigned long)v);
}

__attribute__((noinline)) static wide mixed(int a, wide b, int c, wide d)
{
    return b * a - d + c;
}

__attribute__((noinline)) static wide total(int n, ...)
{
    va_list list;
    va_start(list, n);
    wide sum = 0;
    for (int i = 0; i < n; i++) {
        if (i % 2)
            sum += va_arg(list, wide);
        else
            sum += va_arg(list, int);
    }
    va_end(list);
    return sum;
}

__attribute__((noinline)) static struct record swap(struct record r)
{
    struct record s = { (char)r.end, -r.value, r.tag };
    return s;
}

__attribute__((noinline)) static int kind(uwide v)
{
    switch (v) {
    case 0: return 0;
    case (uwide)1 << 64: return 1;
    case ((uwide)1 << 64) + 7: return 2;
    default: return 3;
    }
}

static uwide table[3] = { 1, (uwide)1 << 100, ~(uwide)0 };

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 5;
    int k = argc > 2 ? atoi(argv[2]) : 1;
    wide a = (wide)n * 0x123456789abcdefL * (n + 1) + 0xfedcba9876543210UL;
    uwide b = ((uwide)a << 31) ^ (uwide)n;
    show("a", (uwide)a);
    show("b", b);
    show("sum", (uwide)a + b);
    show("difference", (uwide)a - b);
    show("product", (uwide)a * b);
    show("left", (uwide)a << k);
    show("right", b >> k);
    show("signed right", (uwide)(a >> k));
    show("quotient", b / (uwide)(n | 1));
    show("remainder", b % (uwide)(n | 1));
    show("long quotient", b / ((uwide)a | 1));
    show("signed quotient", (uwide)(a / (n | 1)));
    show("signed remainder", (uwide)(a % -(wide)(n * 1000001 + 1)));
    printf("%d %d %d %d %d\n", a < (wide)b, (uwide)a < b, a == (wide)b, a <= -a, (uwide)a >= (uwide)-a);
    printf("%a %a %a %a\n", (double)a, (double)b, (double)(float)a, (double)(float)b);
    show("from double", (uwide)(wide)(1.5e30 * (double)n));
    show("bits", (uwide)__builtin_popcountll((unsigned long)(b >> 64)));
    wide sum;
    int overflow = __builtin_add_overflow((wide)((uwide)1 << 126), (wide)n << 100, &sum);
    printf("%d", overflow);
    overflow = __builtin_mul_overflow(a, (wide)n << 40, &sum);
    printf(" %d", overflow);
    show("", (uwide)sum);
    show("mixed", (uwide)mixed(k, a, (int)n, (wide)b));
    show("variable", (uwide)total(5, k, a, (int)n, (wide)b, 3));
    struct record r = { 'x', a, 12 };
    r = swap(r);
    show("record", (uwide)r.value);
    printf("%d %d %zu\n", r.tag, r.end, sizeof r);
    printf("%d %d %d %d\n", kind(0), kind((uwide)(n / n) << 64), kind(table[1] >> 36), kind(b));
    table[k % 3] += (uwide)n;
    for (int i = 0; i < 3; i++)
        show("table", table[i]);
    uint64_t closed = 0;
    for (uint64_t i = 0; i < (uint64_t)(k + 3); i++)
        closed += i * i * i;
    printf("%lu\n", (unsigned long)closed);
    return 0;
}
