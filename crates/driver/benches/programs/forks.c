// Ten megabytes that are all in use, and an endless loop that writes to one page after the other.
#include <stdlib.h>

static char memory[10 << 20];

int main(int argc, char **argv) {
    unsigned start = (unsigned)atoi(argv[1]);
    for (unsigned i = 0; i < sizeof memory; i += 64) memory[i] = (char)(i / 64 + 1);
    for (unsigned i = 0;; i += 52429) memory[i % sizeof memory] += (char)i;
    return (int)start;
}
