// Division by an input that is zero.
// exec: 7
// exec: 0
// error: division-by-zero
#include <stdio.h>
#include <stdlib.h>

static int average(int total, int n)
{
    return total / n; //~ division-by-zero
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    printf("%d\n", average(100, atoi(argv[1])));
    return 0;
}
