// Variables of the library that a program has, too: getopt counts in the program's `optind`, as natively; of a static one, and of
// `environ`, the library has its own.
// exec: -a 1 -b
// cflags: -DTHEIRS
// variants: -DTHEIRS, -DOWN
#include <stdio.h>
#include <stdlib.h>

int getopt(int argc, char *const argv[], const char *options);
char *getenv(const char *name);
char **environ;
long timezone = 5;
#ifdef THEIRS
int optind = 1;
#else
static int optind = 40;
#endif
int opterr = 0;

int main(int argc, char **argv)
{
    int c;
    while ((c = getopt(argc, argv, "a:b")) != -1)
        printf("%c", c);
    printf(" %d %d %d %ld\n", optind, environ == NULL, getenv("PATH") != NULL, timezone);
    return 0;
}
