// A promise to the compiler that the input breaks. Optimised code has no such place any more, so -O0 only.
// levels: O0
// exec: 2
// exec: 3
// error: unreachable
#include <stdio.h>
#include <stdlib.h>

static int sides(int shape)
{
    switch (shape) {
    case 1:
        return 3;
    case 2:
        return 4;
    }
    __builtin_unreachable(); //~ unreachable
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    printf("%d\n", sides(atoi(argv[1])));
    return 0;
}
