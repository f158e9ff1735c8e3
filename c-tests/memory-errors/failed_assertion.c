// A failing assertion aborts as it does natively, with the message on standard error.
// exec: 1
// exit: 0
// exec: 0
// exit: 134
// stderr: n > 0
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 0;
    assert(n > 0);
    printf("%d\n", n);
    return 0;
}
