// 13 comparisons of one number with constants, nested so that both sides of each can happen, 2^13 paths.
#include <stdlib.h>

int main(int argc, char **argv) {
    unsigned x = (unsigned)atoi(argv[1]);
    unsigned low = 0, n = 1;
    for (unsigned half = 1u << 13; half > 1; half /= 2) {
        if (x % 65536 >= low + half) low += half, n = n * 3 + 1;
        else n = n / 2 + 7;
    }
    return (int)(n & 1);
}
