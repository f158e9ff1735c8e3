// A buffer grows to twice a size that the input gives. What is copied may be gigabytes of which nobody knows more than that nothing was
// written there; that took longer than any time limit.
// run: enumerate -- @
// expect: epochs=1 complete=false deadlocked=0
// reason: bytes at once of which not all are constant
// levels: O0
// exec: 5
// stdout: 10
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    size_t size = argc > 1 && atoi(argv[1]) > 0 ? atoi(argv[1]) : 1;
    int *numbers = malloc(size * sizeof *numbers);
    if (numbers == NULL)
        abort();
    int *more = realloc(numbers, 2 * size * sizeof *numbers);
    if (more == NULL)
        return 1;
    printf("%zu\n", 2 * size);
    free(more);
    return 0;
}
