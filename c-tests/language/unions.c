// One storage, several types.
// exec:
#include <stdint.h>
#include <stdio.h>
#include <string.h>

union value {
    uint32_t word;
    uint8_t byte[4];
    float real;
    struct {
        uint16_t low, high;
    } half;
};

struct tagged {
    enum { INT, TEXT, PAIR } tag;
    union {
        int i;
        const char *text;
        struct {
            short x, y;
        } pair;
    } u;
};

static void show(struct tagged t)
{
    switch (t.tag) {
    case INT:
        printf("int %d\n", t.u.i);
        break;
    case TEXT:
        printf("text %s\n", t.u.text);
        break;
    case PAIR:
        printf("pair %d %d\n", t.u.pair.x, t.u.pair.y);
        break;
    }
}

int main(void)
{
    union value v;
    v.real = 1.5f;
    printf("%08x %02x %04x\n", v.word, v.byte[3], v.half.high);
    v.byte[0] = 0xff;
    printf("%.7f\n", v.real);
    show((struct tagged){ .tag = INT, .u.i = -7 });
    show((struct tagged){ .tag = TEXT, .u.text = "seven" });
    show((struct tagged){ .tag = PAIR, .u.pair = { 3, -4 } });
    return 0;
}
