// What _FORTIFY_SOURCE turns calls into behaves as the plain calls do.
// exec:
// stdin: a line of input
// stdin: 12 13
// cflags: -D_GNU_SOURCE
// variants: -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
// levels: O0 O2
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

static int formatted(char *to, size_t n, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int count = vsnprintf(to, n, format, ap);
    va_end(ap);
    va_start(ap, format);
    vprintf(format, ap);
    va_end(ap);
    return count;
}

int main(int argc, char **argv)
{
    char a[32], b[32], path[PATH_MAX], *made;
    wchar_t wide[16];
    size_t n = (size_t)argc + 4;
    memset(a, 'x', n * 4);
    memcpy(b, "0123456789", n + 5);
    memmove(b + 2, b, n);
    strcpy(a, argc > 5 ? argv[1] : "copied");
    strcat(a, argc > 5 ? argv[1] : "+more");
    strncat(a, "tail", n - 3);
    strncpy(b + 8, "padded", n + 5);
    printf("%s %.16s %s\n", a, b, stpcpy(a + 3, "end") - 6);
    printf("%d %d\n", sprintf(a, "%d-%s", argc, "z"), snprintf(b, sizeof b, "%s|%5.1f", a, 2.25));
    printf("%s %s\n", a, b);
    printf("%d\n", formatted(a, n, "<%s %d>\n", "cut", 12345));
    puts(a);
    printf("%s", fgets(a, (int)n * 5, stdin));
    int x = 0, y = 0;
    printf("%d", scanf("%d %d", &x, &y));
    printf(" %d %d\n", x, y);
    fprintf(stdout, "%s %d\n", getcwd(path, sizeof path) ? "here" : "nowhere", realpath("/", path) == path);
    int fd = open("/dev/zero", O_RDONLY);
    printf("%zd %d\n", read(fd, a, n), a[0]);
    close(fd);
    if (asprintf(&made, "%s:%d", "made", 7) > 0)
        puts(made);
    free(made);
    printf("%zu %ls\n", mbstowcs(wide, "wide", n), wide);
    dprintf(1, "%s\n", "");
    return 0;
}
