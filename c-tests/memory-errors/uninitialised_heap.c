// One element of an array from malloc was never written; its sum, passed on and stored, is used as an index.
// exec: 4
// exec: 3
// error: uninitialised
#include <stdio.h>
#include <stdlib.h>

int names[64] = { 9, 8, 7, 6 };

static int sum(const int *p, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) s += p[i];
    return s;
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    int *values = malloc(4 * sizeof *values);
    for (int i = 0; i < n; i++) values[i] = i;
    int *total = malloc(sizeof *total);
    *total = sum(values, 4);
    printf("%d\n", names[*total & 63]); //~ uninitialised
    free(total);
    free(values);
    return 0;
}
