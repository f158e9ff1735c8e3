// A member that was never set reaches a branch by way of a structure copy, a function's result and a variable argument.
// exec:
// error: uninitialised
// levels: O0
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct item {
    int key, weight;
};

static struct item fresh(int key)
{
    struct item *i = malloc(sizeof *i);
    i->key = key;
    struct item result = *i;
    free(i);
    return result;
}

static int heaviest(int n, ...)
{
    va_list list;
    va_start(list, n);
    int best = 0;
    for (int i = 0; i < n; i++) {
        int weight = va_arg(list, int);
        if (weight > best) best = weight; //~ uninitialised
    }
    va_end(list);
    return best;
}

int main(void)
{
    struct item a = fresh(1), b = fresh(2);
    a.weight = 5;
    printf("%d\n", heaviest(2, a.weight, b.weight));
    return 0;
}
