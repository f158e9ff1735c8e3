// goto forwards, backwards and out of nested loops; computed goto; break and continue.
// exec: 3
// exec: 8
#include <stdio.h>
#include <stdlib.h>

static int run(const unsigned char *code, int acc)
{
    static void *const table[] = { &&stop, &&increment, &&twice, &&jump_if_small };
    const unsigned char *pc = code;
    goto *table[*pc];
increment:
    acc++;
    goto *table[*++pc];
twice:
    acc *= 2;
    goto *table[*++pc];
jump_if_small:
    pc = acc < 50 ? code : pc + 1;
    goto *table[*pc];
stop:
    return acc;
}

int main(int argc, char **argv)
{
    const unsigned char code[] = { 1, 2, 3, 1, 0 };
    int n = argc > 1 ? atoi(argv[1]) : 2, i, j, count = 0;
    printf("%d\n", run(code, n));
    for (i = 1; i < 20; i++)
        for (j = 1; j < 20; j++) {
            if (i == j)
                continue;
            count++;
            if (i * j == n * 6)
                goto found;
        }
    puts("not found");
    return 1;
found:
    printf("%d %d %d\n", i, j, count);
again:
    if (--n > 0)
        goto again;
    do {
        if (count > 5)
            break;
    } while (count++ < 100);
    printf("%d %d\n", n, count);
    return 0;
}
