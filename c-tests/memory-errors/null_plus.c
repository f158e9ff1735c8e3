// Null plus any distance is no object's address, however large the distance is, and in both directions.
// exec: 1
// error: null-pointer
// exec: 2
// error: null-pointer
// exec: 3
// error: null-pointer
// exec: 4
// error: null-pointer
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static long first[4] = { 1, 2, 3, 4 };
static long second[1000];

struct far {
    char room[4831838208];
    long flag;
};

int main(int argc, char **argv)
{
    long *volatile none = NULL;
    struct far *volatile nowhere = NULL;
    second[0] = first[0];
    volatile long n = 0;
    switch (argc > 1 ? atoi(argv[1]) : 0) {
    case 1: n = 1L << 29; break;
    case 2: n = -(1L << 29) + 2; break;
    case 3: n = 1L << 40; break;
    case 4: n = (long)(offsetof(struct far, flag) / sizeof n) + (nowhere != NULL); break;
    default: return 2;
    }
    none[n] = 7; //~ null-pointer
    return 0;
}
