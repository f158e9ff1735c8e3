// Freed twice on one input. (volatile: or the compiler does away with the whole allocation.)
// exec: 0
// exec: 1
// error: double-free
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char *volatile p = malloc(16);
    if (argc < 2 || !p)
        return 2;
    p[0] = 'a';
    printf("%c\n", p[0]);
    if (atoi(argv[1]))
        free(p);
    free(p); //~ double-free
    return 0;
}
