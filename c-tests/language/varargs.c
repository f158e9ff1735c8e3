// Functions with a variable number of arguments, of mixed types, forwarded and copied.
// exec:
#include <stdarg.h>
#include <stdio.h>

static double sum(const char *types, ...)
{
    va_list ap, again;
    double total = 0;
    int count = 0;
    va_start(ap, types);
    va_copy(again, ap);
    for (const char *t = types; *t; t++) {
        switch (*t) {
        case 'i':
            total += va_arg(ap, int);
            break;
        case 'l':
            total += (double)va_arg(ap, long long);
            break;
        case 'd':
            total += va_arg(ap, double);
            break;
        }
    }
    va_end(ap);
    for (const char *t = types; *t == 'i'; t++)
        count += va_arg(again, int);
    va_end(again);
    printf("leading ints %d\n", count);
    return total;
}

static int report(char *out, size_t n, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int length = vsnprintf(out, n, format, ap);
    va_end(ap);
    return length;
}

int main(void)
{
    char text[24];
    printf("%g\n", sum("iidl", 1, 2, 0.5, 1000000000000LL));
    printf("%g\n", sum("iiiiiiiii", 1, 2, 3, 4, 5, 6, 7, 8, 9));
    printf("%g\n", sum("dddddddddd", .1, .2, .3, .4, .5, .6, .7, .8, .9, 1.));
    int n = report(text, sizeof text, "%s is %d and %5.2f, or so", "x", 12, 3.14159);
    printf("%d [%s]\n", n, text);
    return 0;
}
