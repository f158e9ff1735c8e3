// The assembly that portable programs contain: atomic operations, byte order, double-width arithmetic, barriers.
// exec: 1
// exec: 12345
// levels: O0 O1 O2 O3
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int fetch_add(volatile int *p, int v)
{
    __asm__ __volatile__("lock; xaddl %0, %1" : "+r"(v), "+m"(*p) : : "memory", "cc");
    return v;
}

static int exchange_if(volatile long *p, long expected, long new)
{
    unsigned char done;
    __asm__ __volatile__("lock; cmpxchgq %3, %1; sete %0"
                         : "=q"(done), "+m"(*p), "+a"(expected)
                         : "r"(new)
                         : "memory", "cc");
    return done;
}

static uint32_t swapped(uint32_t x)
{
    __asm__("bswap %0" : "+r"(x));
    return x;
}

static uint64_t high_product(uint64_t a, uint64_t b, uint64_t *low)
{
    uint64_t high;
    __asm__("mulq %3" : "=a"(*low), "=d"(high) : "a"(a), "rm"(b) : "cc");
    return high;
}

static void add(uint64_t *high, uint64_t *low, uint64_t v)
{
    __asm__("addq %2, %1\n\tadcq $0, %0" : "+r"(*high), "+r"(*low) : "r"(v) : "cc");
}

static uint64_t highest_bit(uint64_t x)
{
    uint64_t place;
    __asm__("bsrq %1, %0" : "=r"(place) : "rm"(x) : "cc");
    return place;
}

/* A choice without a branch, as compressors write it. */
static const char *chosen(const char *above, const char *other, uint32_t a, uint32_t b)
{
    __asm__("cmp %1, %2\n\tcmova %3, %0" : "+r"(other) : "r"(a), "r"(b), "r"(above) : "cc");
    return other;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    __asm__("cmpl %1, %0\n\tcmovael %1, %0" : "+r"(a) : "r"(b) : "cc");
    return a;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 3;
    volatile int counter = 40;
    volatile long word = n;
    int old = fetch_add(&counter, n);
    printf("%d %d\n", old, counter);
    int first = exchange_if(&word, n, 7), second = exchange_if(&word, n, 8);
    printf("%d %d %ld\n", first, second, word);
    printf("%s %s %s\n", chosen("above", "not", 3, 4), chosen("above", "not", 4, 4), chosen("above", "not", 5u - n, n));
    printf("%u %u %u\n", least(3, 4), least(4, 3), least(-1u, (uint32_t)n));
    uint64_t low, high = high_product(0xfedcba9876543210u * (uint64_t)n, ~(uint64_t)n, &low);
    printf("%x %lx %lx\n", swapped(0x01020304u * (uint32_t)n), high, low);
    add(&high, &low, ~(uint64_t)0);
    printf("%lx %lx %lu\n", high, low, highest_bit((uint64_t)n << 20));
    __asm__ __volatile__("mfence" ::: "memory");
    __asm__ __volatile__("" : "+r"(n));
    return n & 63;
}
