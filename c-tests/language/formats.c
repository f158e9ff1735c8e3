// printf and snprintf: flags, widths, precisions, sizes, and what they return.
// exec: 42
// exec: -7
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1;
    char small[6];
    printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%.3d]\n", n, n, n, n, n, n, n);
    printf("[%x] [%#X] [%o] [%u]\n", (unsigned)n, (unsigned)n, (unsigned)n, (unsigned)n);
    printf("[%ld] [%lld] [%zu] [%jd] [%td] [%hd] [%hhd]\n", (long)n * 8589934592, (long long)n, sizeof n, (intmax_t)n,
           (ptrdiff_t)n, (short)(n + 65536), (signed char)(n + 256));
    printf("[%s] [%10s] [%-10s] [%.2s] [%c] [%%]\n", "text", "right", "left", "cut", 'c');
    printf("[%*d] [%-*d] [%.*f]\n", 6, n, 6, n, 2, (double)n);
    printf("[%" PRIu64 "] [%" PRIx32 "]\n", (uint64_t)n * 1000, (uint32_t)n);
    int length = snprintf(small, sizeof small, "%d and more", n);
    printf("%d [%s]\n", length, small);
    int shown = 0;
    printf("abc%n\n", &shown);
    printf("%d\n", shown);
    putchar('A');
    putchar('\n');
    fputs("no newline added", stdout);
    fprintf(stdout, ", %s\n", "but here");
    fwrite("raw\0raw\n", 1, 8, stdout);
    fprintf(stderr, "this goes elsewhere\n");
    return printf("\n") - 1;
}
