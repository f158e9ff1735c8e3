// Static locals keep their value; initialisers point into other objects; constant tables; compound literals.
// exec:
#include <stdio.h>

static int values[4] = { 10, 20, 30, 40 };
static int *const third = &values[2];
static const struct { const char *name; int *where; } table[] = { { "first", values }, { "last", values + 3 } };

static int next(void)
{
    static int n;
    static int *cursor = values + 1;
    if (n++ % 2)
        cursor++;
    return *cursor + n;
}

static const char *digit(unsigned n)
{
    static char text[2];
    text[0] = "0123456789"[n % 10];
    return text;
}

int main(void)
{
    int a = next(), b = next(), c = next();
    printf("%d %d %d\n", a, b, c);
    *third = 7;
    printf("%d %s %d\n", values[2], table[1].name, *table[1].where);
    printf("%s", digit(12));
    printf("%s\n", digit(7));
    int *p = (int[]){ 5, 6, 7 };
    printf("%d\n", p[0] + p[2]);
    return 0;
}
