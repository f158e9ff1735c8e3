// Widths, signs, shifts, wrap-around, conversions, division towards zero, overflow checks.
// exec: 200
// exec: -200
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 0;
    int8_t i8 = (int8_t)n;
    uint8_t u8 = (uint8_t)n;
    uint16_t u16 = (uint16_t)(n * 1000);
    int64_t wide = (int64_t)n * n * n * n * n * n;
    uint32_t wrap = (uint32_t)n * 4000000000u;
    int sum, overflow = __builtin_add_overflow(n > 0 ? INT_MAX : INT_MIN, n, &sum);
    printf("%d %u %u %ld %u\n", i8, u8, u16, (long)wide, wrap);
    printf("%d %d %d %d\n", n / 7, n % 7, -n / 7, -n % 7);
    printf("%d %u %d\n", n >> 3, (unsigned)n >> 3, (int)((unsigned)n << 25));
    printf("%d %d\n", n < 5u, (unsigned char)n == n);
    printf("%d %d\n", overflow, sum == (int)((unsigned)(n > 0 ? INT_MAX : INT_MIN) + (unsigned)n));
    printf("%d %d %d\n", __builtin_popcount((unsigned)n), __builtin_clz((unsigned)abs(n)), __builtin_ctz((unsigned)n));
    printf("%u %lu\n", __builtin_bswap32((unsigned)n), (unsigned long)-1 / 3);
    printf("%d %d %d\n", n & 0xf0, n | 0x0f, n ^ ~0);
    printf("%d\n", n > 0 && n / (n - 300) < 0 ? 1 : n < 0 || 0);
    long long big = LLONG_MAX;
    printf("%lld %d\n", big >> 62, (int)(big % 1000));
    return 0;
}
