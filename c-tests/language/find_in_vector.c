// A search that the compiler turns into a search in a vector; a large array that is never used.
// exec:
// exec: 70
// levels: O0 O1 O2 O3
#include <stdio.h>
#include <stdlib.h>

typedef char bytes __attribute__((vector_size(8)));

static int first_set(bytes v)
{
    for (int i = 0; i < 8; i++)
        if (v[i] < 0)
            return i;
    return 8;
}

static int unused(int n)
{
    float large[100000];
    return n + 1;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1;
    bytes v = {1, 2, (char)(n + 60), 4, 5, (char)-n, 7, 8};
    printf("%d %d\n", first_set(v), unused(n));
    return 0;
}
