// Streams in all modes, over files and over memory: what is read, written and reported is as natively.
// exec:
// stdin: first 1
// stdin: second 2
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void show(const char *what, FILE *f)
{
    printf("%s: at %ld, end %d, error %d\n", what, ftell(f), feof(f) != 0, ferror(f) != 0);
}

static void modes(void)
{
    char text[80];
    FILE *f = fopen("s", "w+");
    fprintf(f, "%s\n%d\n", "line one", 2);
    show("written", f);
    rewind(f);
    printf("%s", fgets(text, sizeof text, f));
    int n = 0;
    printf("%d", fscanf(f, "%d", &n));
    printf(" %d\n", n);
    show("read", f);
    printf("%d\n", fgetc(f));
    printf("%d\n", fgetc(f));
    show("at the end", f);
    ungetc('z', f);
    show("after ungetc", f);
    printf("%c\n", fgetc(f));
    fseek(f, 5, SEEK_SET);
    fputs("ONE", f);
    fclose(f);
    f = fopen("s", "a+");
    printf("%s", fgets(text, sizeof text, f));
    fputs("appended\n", f);
    fseek(f, -9, SEEK_END);
    printf("%s", fgets(text, sizeof text, f));
    fpos_t place;
    rewind(f);
    fgetc(f);
    fgetpos(f, &place);
    fread(text, 1, 4, f);
    fsetpos(f, &place);
    printf("%c", fgetc(f));
    printf("%c\n", text[0]);
    f = freopen("s", "r", f);
    errno = 0;
    printf("%d %d", fputc('x', f), ferror(f) != 0);
    printf(" %s\n", strerror(errno));
    clearerr(f);
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, f) > 0)
        fputs(line, stdout);
    rewind(f);
    printf("%ld %s\n", (long)getdelim(&line, &room, 'e', f), line);
    free(line);
    fclose(f);
    printf("%d\n", fopen("no/such", "r") == NULL && errno == ENOENT);
    printf("%d\n", fopen("s", "wx") == NULL && errno == EEXIST);
    printf("%d\n", fopen("s", "q") == NULL && errno == EINVAL);
    printf("%d\n", fdopen(99, "r") == NULL && errno == EBADF);
    unlink("s");
    f = tmpfile();
    fwrite("temporary", 1, 9, f);
    rewind(f);
    printf("%zu %.9s\n", fread(text, 1, 80, f), text);
    fclose(f);
}

static ssize_t upper(void *cookie, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        putchar(p[i] >= 'a' && p[i] <= 'z' ? p[i] - 32 : p[i]);
    ++*(int *)cookie;
    return (ssize_t)n;
}

static void memory(void)
{
    char *text = NULL, fixed[16], *end;
    size_t size = 99;
    FILE *f = open_memstream(&text, &size);
    fflush(f);
    printf("%zu %d\n", size, text[0]);
    fprintf(f, "number %d", 7);
    fflush(f);
    printf("%zu %s\n", size, text);
    for (int i = 0; i < 3000; i++)
        fputc('a' + i % 26, f);
    fseek(f, 0, SEEK_SET);
    fputc('N', f);
    fflush(f);
    printf("%zu %.10s %zu\n", size, text, strlen(text));
    fclose(f);
    free(text);
    memset(fixed, '#', sizeof fixed);
    f = fmemopen(fixed, sizeof fixed, "w");
    printf("%d\n", fprintf(f, "abc"));
    fclose(f);
    printf("%.16s\n", fixed);
    f = fmemopen("12 and 13", 9, "r");
    int a, b;
    printf("%d", fscanf(f, "%d and %d", &a, &b));
    printf(" %d %d\n", a, b);
    show("read", f);
    fclose(f);
    f = fmemopen(fixed, sizeof fixed, "r+");
    fseek(f, 1, SEEK_SET);
    fputs("BC", f);
    fclose(f);
    puts(fixed);
    f = fmemopen(fixed, sizeof fixed, "a");
    fputs("def", f);
    fclose(f);
    puts(fixed);
    f = fmemopen(fixed, 4, "w");
    setbuf(f, NULL);
    printf("%d", fputs("123456", f));
    printf(" %d %.6s\n", ferror(f) != 0, fixed);
    fclose(f);
    int calls = 0;
    cookie_io_functions_t functions = {.write = upper};
    f = fopencookie(&calls, "w", functions);
    fprintf(f, "to a function: %s\n", "done");
    fclose(f);
    printf("%d %ld\n", calls, strtol("0x1fz", &end, 0));
}

static void formats(void)
{
    char text[64];
    int count = 0;
    errno = ENOENT;
    printf("%2$s %1$d %2$s %3$.*4$f|%m\n", 5, "word", 2.71828, 3);
    printf("%1$*2$d|%1$-*2$d|%3$g\n", 42, 6, 1.5);
    printf("%s %n%c%%\n", "counted", &count, 'x');
    printf("%d %d\n", count, snprintf(text, 8, "%s", "too long for it"));
    puts(text);
    char *made = NULL;
    printf("%d", asprintf(&made, "%05d|%-5s|%+.2e|%#x", 42, "ab", 12345.678, 255));
    printf(" %s\n", made);
    free(made);
    int a = 0, b = 0;
    char word[20] = "", set[20] = "", *allocated = NULL;
    printf("%d", sscanf("12:34 word [abc]", "%2$d:%1$d", &a, &b));
    printf(" %d %d\n", a, b);
    printf("%d", sscanf("  -7 0x1f tok123 rest", "%d %i %19[a-z]%n %ms", &a, &b, set, &count, &allocated));
    printf(" %d %d %s %d %s\n", a, b, set, count, allocated);
    free(allocated);
    printf("%d", scanf("%19s %d", word, &a));
    printf(" %s %d\n", word, a);
    printf("%d", scanf("%*s %d %d", &a, &b));
    printf(" %d\n", a);
    printf("%d\n", scanf("%d", &a));
    dprintf(1, "%s", "");
}

int main(void)
{
    modes();
    memory();
    formats();
    return 0;
}
