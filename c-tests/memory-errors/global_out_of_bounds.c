// An index outside a global array.
// exec: 2
// exec: 5
// error: out-of-bounds
#include <stdio.h>
#include <stdlib.h>

int weight[5] = { 3, 1, 4, 1, 5 };
int guard[5] = { 9, 9, 9, 9, 9 };

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    int i = atoi(argv[1]);
    printf("%d\n", weight[i]); //~ out-of-bounds
    return guard[0] - 9;
}
