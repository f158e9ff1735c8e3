// Tables of functions, callbacks with context, functions that return functions.
// exec: 3
// exec: 0
#include <stdio.h>
#include <stdlib.h>

typedef int (*operation)(int, int);

static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int multiply(int a, int b) { return a * b; }

static const struct {
    const char *name;
    operation run;
} operations[] = { { "add", add }, { "subtract", subtract }, { "multiply", multiply } };

static operation pick(int i)
{
    return operations[i % 3].run;
}

static void each(const int *v, int n, void (*visit)(int, void *), void *context)
{
    for (int i = 0; i < n; i++)
        visit(v[i], context);
}

static void accumulate(int v, void *context)
{
    *(int *)context = *(int *)context * 2 + v;
}

int main(int argc, char **argv)
{
    int v[] = { 1, 0, 1, 1 }, result = 0;
    int n = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < 3; i++)
        printf("%s %d\n", operations[i].name, operations[i].run(n, 4));
    printf("%d %d\n", pick(n)(7, 8), pick(n) == multiply);
    each(v, 4, accumulate, &result);
    printf("%d\n", result);
    return 0;
}
