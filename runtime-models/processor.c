/* What programs ask the processor itself: the answers of a plain x86-64 one, so that programs take their portable
   way. */
#include "ics.h"

enum { EAX, EBX, ECX, EDX };

/* One register of the answer to `cpuid`. Bits of leaf 1: x87, time stamp counter, 8-byte exchange, conditional moves,
 * MMX, SSE and SSE2 with their state. */
unsigned __ics_cpuid(unsigned leaf, unsigned part, int reg) {
    static const unsigned answers[4][5] = {
        {0, 1, 0x756e6547, 0x6c65746e, 0x49656e69},
        {1, 0x00000f00, 0x00000800, 0, 1 | 1 << 4 | 1 << 8 | 1 << 15 | 1 << 23 | 1 << 24 | 1 << 25 | 1 << 26},
        {0x80000000, 0x80000001, 0, 0, 0},
        {0x80000001, 0, 0, 1, 1 << 11 | 1 << 20 | 1 << 29},
    };
    for (int i = 0; i < 4; i++)
        if (answers[i][0] == leaf) return answers[i][1 + reg];
    return 0;
}
