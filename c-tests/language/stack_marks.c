// Arrays of variable length and alloca: what a block made dies with it, so a loop does not fill the stack.
// exec:
// exec: 3
// levels: O0 O1 O2 O3
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>

static long in_a_loop(int n)
{
    long sum = 0;
    for (int i = 0; i < 30000; i++) {
        int x[n + 999];
        x[0] = i;
        x[n + 998] = n;
        sum += x[0] + x[n + 998];
    }
    return sum;
}

static int of_the_function(int n)
{
    char *kept[4];
    for (int i = 0; i < 4; i++) {
        kept[i] = alloca((size_t)n + 2);
        kept[i][n] = (char)('a' + i);
    }
    return kept[0][n] + kept[3][n];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1;
    printf("%ld %d\n", in_a_loop(n), of_the_function(n));
    return 0;
}
