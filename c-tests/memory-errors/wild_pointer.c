// An integer made a pointer points to no object.
// exec: 0
// exec: 1
// error: wild-pointer
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    volatile int ok = 5;
    if (argc < 2)
        return 2;
    volatile int *p = atoi(argv[1]) ? (volatile int *)(uintptr_t)0x7fff1234560u : &ok;
    printf("%d\n", *p); //~ wild-pointer
    return 0;
}
