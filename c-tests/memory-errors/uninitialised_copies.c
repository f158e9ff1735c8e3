// No error: undefined bytes may be copied, as padding and unused members are; bit-fields of fresh memory may be set one by
// one; what is masked away or multiplied by zero does not count; realloc and memmove keep what is defined.
// exec:
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mixed {
    char tag;
    long value;
    short end;
};

struct flags {
    unsigned a : 3, b : 5, c : 9, d : 1;
};

union cell {
    int small;
    double large;
};

static struct mixed make(char tag, long value)
{
    struct mixed m;
    m.tag = tag;
    m.value = value;
    return m;
}

int main(void)
{
    struct mixed *copies = malloc(3 * sizeof *copies);
    struct mixed one = make('x', 7);
    copies[0] = one;
    memcpy(&copies[1], &copies[0], sizeof one);
    copies = realloc(copies, 100 * sizeof *copies);
    if (copies[1].tag == 'x' && copies[1].value == 7) puts("copied");

    struct flags *flags = malloc(sizeof *flags);
    flags->b = 17;
    if (flags->b == 17) puts("b");
    flags->d = 1;
    flags->a = 5;
    if (flags->d && flags->a + flags->b == 22) puts("a b d");

    unsigned *raw = malloc(sizeof *raw);
    ((unsigned char *)raw)[0] = 0x5A;
    if ((*raw & 0xFF) == 0x5A) puts("masked");
    if ((*raw << 24) >> 28 == 5) puts("shifted");

    union cell *cell = malloc(sizeof *cell);
    cell->small = 3;
    union cell other = *cell;
    if (other.small == 3) puts("union");

    char *text = malloc(32);
    strcpy(text, "abc");
    memmove(text + 1, text, 10);
    text[0] = '_';
    puts(text);

    free(text);
    free(cell);
    free(raw);
    free(flags);
    free(copies);
    return 0;
}
