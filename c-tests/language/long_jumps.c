// setjmp and longjmp: out of nested calls, within one function, again and again; the value 0 arrives as 1.
// exec: 3
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf top;

static int descend(int depth)
{
    char trail[8] = { (char)depth };
    if (depth == 0) longjmp(top, 7);
    return descend(depth - 1) + trail[0];
}

static int retry(int limit)
{
    jmp_buf again;
    volatile int tries = 0;
    int code = setjmp(again);
    tries++;
    if (tries < limit) longjmp(again, tries);
    if (tries == limit) longjmp(again, 0);
    return 100 * tries + code;
}

int main(int argc, char **argv)
{
    volatile int sum = 0;
    int code = setjmp(top);
    if (code == 0) {
        sum = descend(argc > 1 ? atoi(argv[1]) : 1);
        puts("not reached");
    }
    for (int limit = 1; limit < 4; limit++) sum += retry(limit);
    printf("%d %d\n", code, sum);
    return 0;
}
