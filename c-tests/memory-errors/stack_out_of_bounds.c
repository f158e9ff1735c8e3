// An index outside an array on the stack, with another array behind it.
// exec: 7
// exec: 9
// error: out-of-bounds
#include <stdio.h>
#include <stdlib.h>

static int fill(int *a, int n, int v)
{
    for (int i = 0; i < n; i++)
        a[i] = v + i;
    return n;
}

int main(int argc, char **argv)
{
    int first[8], second[8];
    if (argc < 2)
        return 2;
    fill(first, 8, 1);
    fill(second, 8, 100);
    int i = atoi(argv[1]);
    printf("%d\n", first[i] + second[0]); //~ out-of-bounds
    return 0;
}
