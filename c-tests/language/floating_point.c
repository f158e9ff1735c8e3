// float and double arithmetic, conversions, comparisons, and how printf shows them.
// exec: 2.5
// exec: -0.1
// exec: 1e300
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double poly(double x)
{
    return ((x - 3.0) * x + 0.125) * x - 7.0;
}

int main(int argc, char **argv)
{
    double x = argc > 1 ? atof(argv[1]) : 1.0;
    float f = (float)x;
    printf("%f %.3f %10.2f|%-10.1f|%e %g\n", x, x, x / 1e299, x / 1e299, x, x);
    printf("%.9g %d %d\n", (double)(f * 3.0f), f == x, x < 1.0);
    printf("%.17g\n", poly(x));
    printf("%d %u %ld\n", (int)2.99, (unsigned)3.7f, (long)-2.5);
    printf("%g %g %g\n", sqrt(fabs(x)), floor(-1.5), ceil(-1.5));
    printf("%g %g %d\n", 1.0 / 3.0, (double)(1.0f / 3.0f), isnan(x - x) != 0);
    printf("%a %g %G %.0f\n", 1.0, 123456789.0, 1e-10, 2.5);
    printf("%g %g\n", INFINITY, -INFINITY);
    return 0;
}
