// A write before the start of a heap object.
// exec: 0
// exec: -1
// error: out-of-bounds
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char *p = calloc(8, 1);
    if (argc < 2 || !p)
        return 2;
    int i = atoi(argv[1]);
    p[i] = 'x'; //~ out-of-bounds
    printf("%c\n", p[0]);
    free(p);
    return 0;
}
