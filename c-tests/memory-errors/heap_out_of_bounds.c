// A heap read and a heap write just outside their object.
// exec: 3
// exec: 4
// error: out-of-bounds
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int *p = malloc(4 * sizeof *p);
    if (argc < 2 || !p)
        return 2;
    for (int i = 0; i < 4; i++)
        p[i] = i * i;
    int i = atoi(argv[1]);
    printf("%d\n", p[i]); //~ out-of-bounds
    free(p);
    return 0;
}
