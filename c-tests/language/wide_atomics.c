// Atomic structures and 16-byte integers, which the compiler leaves to its support library; atomic floats and pointers.
// exec: 5
// cflags: -latomic
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct point {
    long x, y;
};

struct odd {
    char c[3];
};

static _Atomic struct point shared;
static _Atomic struct odd letters;
static _Atomic __int128 total = 1;
static _Atomic double mean = 2.5;
static _Atomic(const char *) name;

int main(int argc, char **argv)
{
    long n = atoi(argv[1]);
    struct point p = { n, -n }, seen = { 0, 0 };
    if (!atomic_compare_exchange_strong(&shared, &seen, p)) return 1;
    if (atomic_compare_exchange_strong(&shared, &seen, p)) return 2;
    struct point next = { n + 1, 7 }, old = atomic_exchange(&shared, next);
    printf("%ld %ld %ld %ld\n", seen.x, old.y, atomic_load(&shared).x, atomic_load(&shared).y);

    struct odd o = { "ab" };
    letters = o;
    o = letters;
    printf("%c%c\n", o.c[0], o.c[1]);

    total += n;
    total <<= 70;
    total -= 1;
    __int128 t = total;
    printf("%lx %lx\n", (long)(t >> 64), (long)t);

    mean *= n;
    name = argv[0] ? "named" : "nameless";
    printf("%g %s\n", mean, name);
    return 0;
}
