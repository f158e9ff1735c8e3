// fmemopen over memory that nothing was written to: a stream that writes does not look what is there.
// exec:
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void over(char *buffer, size_t size, const char *mode)
{
    char text[40] = "";
    FILE *f = fmemopen(buffer, size, mode);
    fputs("hello", f);
    fflush(f);
    printf("%s %ld", mode, ftell(f));
    if (strchr(mode, '+')) {
        rewind(f);
        printf(" [%s]", fgets(text, sizeof text, f) ? text : "");
        fseek(f, 0, SEEK_END);
        printf(" %ld", ftell(f));
    }
    fclose(f);
    if (buffer)
        printf(" %s", buffer);
    putchar('\n');
}

int main(void)
{
    char *fresh = malloc(20);
    over(fresh, 20, "w");
    free(fresh);
    fresh = malloc(20);
    over(fresh, 20, "w+");
    free(fresh);
    over(NULL, 20, "w+");
    over(NULL, 20, "a+");
    char text[20] = "abc";
    over(text, sizeof text, "a");
    over(text, sizeof text, "r+");
    return 0;
}
