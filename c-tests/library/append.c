// Where a stream is that appends: at the end of the file, with what waits to be written.
// exec:
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define NAME "append.tmp"

int main(void)
{
    FILE *f = fopen(NAME, "w");
    fputs("abcd", f);
    fclose(f);
    f = fopen(NAME, "a");
    printf("%ld", ftell(f));
    fputs("efg", f);
    printf(" %ld", ftell(f));
    fflush(f);
    printf(" %ld\n", ftell(f));
    fseek(f, 1, SEEK_SET);
    printf("%ld", ftell(f));
    fputs("h", f);
    printf(" %ld\n", ftell(f));
    fclose(f);
    f = fdopen(open(NAME, O_WRONLY), "a");
    printf("%ld", ftell(f));
    fputs("ij", f);
    printf(" %ld\n", ftell(f));
    fclose(f);
    f = fopen(NAME, "a+");
    printf("%ld", ftell(f));
    printf(" %c %ld", getc(f), ftell(f));
    fseek(f, 0, SEEK_CUR);
    fputs("k", f);
    printf(" %ld\n", ftell(f));
    fclose(f);
    f = fopen(NAME, "r");
    f = freopen(NAME, "a", f);
    printf("%ld\n", ftell(f));
    fclose(f);
    unlink(NAME);
    return 0;
}
