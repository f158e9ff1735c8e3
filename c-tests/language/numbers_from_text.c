// atoi, strtol and its end pointer and range, strtod, sscanf.
// exec: 12abc
// exec: -0x1F
// exec: 99999999999999999999
// exec: 3.25e2xyz
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const char *s = argc > 1 ? argv[1] : "0";
    char *end;
    errno = 0;
    long n = strtol(s, &end, 10);
    printf("%ld [%s] %d\n", n, end, errno == ERANGE);
    errno = 0;
    unsigned long u = strtoul(s, &end, 16);
    printf("%lu [%s] %d\n", u, end, errno == ERANGE);
    printf("%ld\n", strtol(s, NULL, 0));
    double d = strtod(s, &end);
    printf("%g [%s]\n", d, end);
    int a = -1, b = -1;
    char word[10] = "-";
    int fields = sscanf(s, "%d%9s", &a, word);
    printf("%d %d %s\n", fields, fields > 0 && a == (int)n ? 1 : 0, word);
    fields = sscanf("7,8;", "%d,%d", &a, &b);
    printf("%d %d %d\n", fields, a, b);
    return 0;
}
