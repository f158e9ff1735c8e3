// 12 branches, each of which writes to its own page of a large array: what a fork costs when memory changes.
#include <stdlib.h>

static char big[1 << 20];

int main(int argc, char **argv) {
    for (int i = 0; i < 12; i++) {
        if (argv[1][i] > 'm') big[i * 70000] = 1;
        else big[i * 70000 + 1] = 2;
    }
    return big[0];
}
