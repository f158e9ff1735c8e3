// Small structs of floats through '...': the compiler passes two floats in one register, as a vector.
// exec:
// exec: 7
// levels: O0 O1 O2 O3
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct two { float a, b; };
struct three { float a, b, c; };
struct four { float a, b, c, d; };
struct mixed { float a; int b; };
typedef float pair __attribute__((vector_size(8)));

static void show(int n, ...)
{
    va_list list;
    va_start(list, n);
    for (int i = 0; i < n; i++) {
        struct two two = va_arg(list, struct two);
        struct three three = va_arg(list, struct three);
        int number = va_arg(list, int);
        struct four four = va_arg(list, struct four);
        struct mixed mixed = va_arg(list, struct mixed);
        pair vector = va_arg(list, pair);
        printf("%g %g, %g %g %g, %d, %g %g %g %g, %g %d, %g %g\n", two.a, two.b, three.a, three.b, three.c, number, four.a,
               four.b, four.c, four.d, mixed.a, mixed.b, vector[0], vector[1]);
    }
    va_end(list);
}

int main(int argc, char **argv)
{
    float x = argc > 1 ? (float)atof(argv[1]) : 1.5f;
    struct two two = {x, 2};
    struct three three = {3, x, 5};
    struct four four = {6, 7, x, 9};
    struct mixed mixed = {x, 11};
    pair vector = {x, 13};
    show(2, two, three, 42, four, mixed, vector, two, three, 43, four, mixed, vector);
    return 0;
}
