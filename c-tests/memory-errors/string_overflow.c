// A string copied into too small a buffer: the error is inside the library's model and is blamed on the call.
// exec: short
// exec: far-too-long
// error: out-of-bounds
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    char *buffer = malloc(8);
    strcpy(buffer, argv[1]); //~ out-of-bounds
    printf("%s\n", buffer);
    free(buffer);
    return 0;
}
