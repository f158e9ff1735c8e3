// A local that is set on one path only decides a branch.
// exec: 3
// exec:
// error: uninitialised
// levels: O0
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int limit;
    if (argc > 1) limit = atoi(argv[1]);
    if (limit > 2) puts("large"); //~ uninitialised
    return 0;
}
