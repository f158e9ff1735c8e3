// A pointer to a local outlives its function. Inlining makes the local live longer, so -O0 only.
// levels: O0
// exec: 0
// exec: 1
// error: use-after-free
#include <stdio.h>
#include <stdlib.h>

static int fallback = 1;
static int *current = &fallback;

static void choose(int n)
{
    int local = n * 2;
    if (n)
        current = &local;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    choose(atoi(argv[1]));
    printf("%d\n", *current); //~ use-after-free
    return 0;
}
