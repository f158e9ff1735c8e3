// Pointers that are no pointers on their way: swapped, rounded by a division, written to a stream and read again.
// exec:
// stdout: swapped 3, rounded 4, stream 6, copied 0
#include <stdint.h>
#include <stdio.h>

struct item {
    int value;
    int *target;
};

static int numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};

#define APART __attribute__((noinline))

APART static uint64_t swapped(uint64_t word)
{
    return __builtin_bswap64(word);
}

/* Rounds up to a multiple of the size of a pointer. */
APART static char *rounded(char *pointer)
{
    return (char *)(((uintptr_t)pointer + 7) / 8 * 8);
}

static int *through_stream(FILE *file, int *pointer)
{
    struct item out = {1, pointer}, in;
    rewind(file);
    if (fwrite(&out, sizeof out, 1, file) != 1)
        return NULL;
    rewind(file);
    return fread(&in, sizeof in, 1, file) == 1 ? in.target : NULL;
}

extern void *__mempcpy(void *, const void *, size_t);

static int *copied(int *pointer)
{
    int *copy;
    __mempcpy(&copy, &pointer, sizeof copy);
    return copy;
}

int main(void)
{
    static struct item aligned;
    FILE *file = tmpfile();
    if (!file)
        return 1;
    aligned.target = &numbers[4];
    printf("swapped %d, ", *(int *)swapped(swapped((uint64_t)&numbers[3])));
    printf("rounded %d, ", **(int **)rounded((char *)&aligned + 5));
    printf("stream %d, ", *through_stream(file, &numbers[6]));
    printf("copied %d\n", *copied(&numbers[0]));
    return fclose(file);
}
