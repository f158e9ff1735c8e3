// 14 branches on the bits of one number: 2^14 paths, and every constraint is about the same symbol.
#include <stdlib.h>

int main(int argc, char **argv) {
    unsigned x = (unsigned)atoi(argv[1]);
    unsigned n = 1;
    for (int i = 0; i < 14; i++) {
        if (x & (1u << i)) n = n * 3 + 1;
        else n = n / 2 + 7;
    }
    return (int)(n & 1);
}
