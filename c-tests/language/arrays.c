// Two-dimensional arrays, pointers into them, variable length, and arrays of pointers.
// exec: 3
// exec: 1
#include <stdio.h>
#include <stdlib.h>

static int trace(int n, int m[n][n])
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += m[i][i];
    return sum;
}

static void multiply(const int (*a)[4], const int (*b)[4], int (*out)[4])
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            out[i][j] = 0;
            for (int k = 0; k < 4; k++)
                out[i][j] += a[i][k] * b[k][j];
        }
}

int main(int argc, char **argv)
{
    static int a[4][4], b[4][4], c[4][4];
    const char *names[] = { "zero", "one", "two", "three" };
    int n = argc > 1 ? atoi(argv[1]) : 2;
    int square[n][n];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            a[i][j] = i + j;
            b[i][j] = i == j ? n : 0;
        }
    multiply(a, b, c);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            square[i][j] = i * 10 + j;
    int *last = &c[3][3], *first = &c[0][0];
    printf("%d %d %d %td\n", trace(4, c), trace(n, square), *(last - 4), last - first);
    printf("%s %c\n", names[n], names[n][1]);
    return 0;
}
