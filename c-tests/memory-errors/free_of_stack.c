// What was not allocated must not be freed.
// exec: 0
// exec: 1
// error: invalid-free
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char local[16] = "local";
    char *p = malloc(16);
    if (argc < 2 || !p)
        return 2;
    char *victim = atoi(argv[1]) ? local : p;
    printf("%s\n", local);
    free(victim); //~ invalid-free
    return 0;
}
