// Bit-fields: packing, sign, wrap-around, and neighbours left alone.
// exec:
// exec: 5
#include <stdio.h>
#include <stdlib.h>

struct flags {
    unsigned a : 3;
    int b : 5;
    unsigned c : 1;
    unsigned long d : 40;
    unsigned char e : 4;
};

int main(int argc, char **argv)
{
    struct flags f = { 0 };
    int n = argc > 1 ? atoi(argv[1]) : 9;
    f.a = (unsigned)n;
    f.b = -n;
    f.c = 1;
    f.d = 0xabcdef0123UL + (unsigned long)n;
    f.e = 0xf;
    f.a++;
    printf("%u %d %u %lx %u %zu\n", f.a, f.b, f.c, (unsigned long)f.d, f.e, sizeof f);
    f.b += 20;
    f.c = 2;
    printf("%u %d %u %lx %u\n", f.a, f.b, f.c, (unsigned long)f.d, f.e);
    return 0;
}
