// atexit runs in reverse order; exit flushes; the status is masked to a byte.
// exec: 3
// exit: 3
// exec: 259
// exit: 3
#include <stdio.h>
#include <stdlib.h>

static void first(void) { puts("registered first"); }
static void second(void) { puts("registered second"); }

static void deep(int n, int status)
{
    if (n == 0)
        exit(status);
    deep(n - 1, status);
    puts("never");
}

int main(int argc, char **argv)
{
    atexit(first);
    atexit(second);
    printf("no newline; ");
    deep(4, argc > 1 ? atoi(argv[1]) : 0);
    return 77;
}
