// Strings, wide characters, patterns and tables of the C library: everything printed is as natively.
// exec:
// cflags: -D_GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <pwd.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

static int sign(int x)
{
    return (x > 0) - (x < 0);
}

static void strings(void)
{
    static const char *const names[] = {"a", "a1", "a01", "a001", "a10", "a9", "a2b", "a02", "1.2", "1.10", "000", "00", "0", "x0y"};
    const int n = sizeof names / sizeof *names;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            printf("%2d", sign(strverscmp(names[i], names[j])));
        putchar('\n');
    }
    char text[40] = "one,two;;three", *rest = text, *part;
    while ((part = strsep(&rest, ",;")))
        printf("[%s]", part);
    strcpy(text, "  a b  c ");
    for (part = strtok_r(text, " ", &rest); part; part = strtok_r(NULL, " ", &rest))
        printf("(%s)", part);
    printf("\n%s", strsignal(11));
    printf(" %s", strsignal(35));
    printf(" %s\n", strsignal(99));
    printf("%d %d %d %d\n", ffs(0), ffs(8), ffsl(1l << 40), ffsll(-1));
    printf("%s %s\n", (char *)memmem("haystack", 8, "st", 2), strcasestr("HayStack", "ST"));
    swab("abcdef", text, 6);
    printf("%.6s %s %d\n", text, strpbrk("hello", "lo"), sign(strcasecmp("ABC", "abd")));
    printf("%s %s\n", basename("/usr/lib/x"), strchrnul("abc", 'z') - 3);
    char options[] = "rw,size=12,bad=1", *words[] = {"rw", "size", NULL}, *at = options, *value;
    while (*at) {
        int which = getsubopt(&at, words, &value);
        printf("%d=%s ", which, value ? value : "-");
    }
    printf("%ld %s\n", a64l("./zz"), l64a(12345678));
    errno = 0;
    printf("%ld %d %lu %d\n", strtol("99999999999999999999", NULL, 10), errno, strtoul("-1", NULL, 0), errno);
}

static void wide(void)
{
    wchar_t text[40], *rest, *end;
    char bytes[40];
    printf("%zu %ls\n", mbstowcs(text, "some words here", 40), text);
    for (wchar_t *p = wcstok(text, L" ", &rest); p; p = wcstok(NULL, L" ", &rest))
        printf("<%ls>", p);
    swprintf(text, 40, L"%d %s %ls %5.2f", 5, "x", L"yy", 2.5);
    printf("%ls %zu %zu\n", text, wcslen(text), wcstombs(bytes, text, 40));
    printf("%ld %ls %g\n", wcstol(L"0x1fz", &end, 0), end, wcstod(L"1.5e3", NULL));
    printf("%d %d %d\n", sign(wcscmp(L"abc", L"abd")), sign(wcsncmp(L"abc", L"abd", 2)), wcschr(L"abc", L'c') != NULL);
    printf("%d %d %d %c\n", iswalpha(L'a') != 0, iswalpha(0xe9) != 0, iswctype(L'7', wctype("digit")) != 0, towupper(L'q'));
    errno = 0;
    printf("%d %d", (int)mbrtowc(text, "\x80", 1, NULL), errno);
    printf(" %d %d\n", wcwidth(L'a'), wcwidth(1));
}

static int order(const void *a, const void *b)
{
    return strcmp(a, b);
}

static int shown;

static void show(const void *node, VISIT which, int depth)
{
    (void)depth;
    if (which == postorder || which == leaf)
        printf("%s%s", shown++ ? "," : "", *(const char *const *)node);
}

static int forgotten;

static void forget(void *key)
{
    forgotten += key != NULL;
}

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void tables(void)
{
    void *root = NULL;
    static const char *const words[] = {"pear", "apple", "fig", "plum", "cherry", "apple"};
    for (int i = 0; i < 6; i++)
        printf("%s ", *(char **)tsearch(words[i], &root, order));
    tdelete("fig", &root, order);
    printf("%d %d: ", tfind("fig", &root, order) != NULL, tfind("plum", &root, order) != NULL);
    twalk(root, show);
    tdestroy(root, forget);
    printf(" %d\n", forgotten);
    hcreate(20);
    for (int i = 0; i < 5; i++)
        hsearch((ENTRY){.key = (char *)words[i], .data = (void *)(long)i}, ENTER);
    ENTRY *found = hsearch((ENTRY){.key = "plum"}, FIND);
    printf("%ld %d\n", (long)found->data, hsearch((ENTRY){.key = "kiwi"}, FIND) == NULL);
    hdestroy();
    int numbers[8] = {5, 3, 9}, key = 9;
    size_t count = 3;
    int *at = lfind(&key, numbers, &count, sizeof key, by_value);
    printf("%d\n", (int)(at - numbers));
    struct passwd *user = getpwuid(0);
    printf("%s %d\n", user->pw_name, getpwnam("no such user") == NULL);
}

static void patterns(void)
{
    static const char *const pairs[][2] = {{"*.c", "a.c"}, {"*.c", ".c"}, {"a?c", "abc"}, {"[a-c]x", "bx"}, {"[!a-c]x", "bx"},
        {"[[:digit:]]*", "7up"}, {"a\\*", "a*"}, {"a\\*", "ab"}, {"*/b", "a/b"}, {"*b", "a/b"}, {"**a*", "bab"}, {"[", "["},
        {"[]]", "]"}, {"a*", "A"}, {"", ""}, {"?", ""}, {"*", "x/.y"}, {"x/*", "x/.y"}};
    static const int flags[] = {0, FNM_PATHNAME, FNM_PERIOD, FNM_PATHNAME | FNM_PERIOD, FNM_NOESCAPE, FNM_CASEFOLD};
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int j = 0; j < 6; j++)
            putchar(fnmatch(pairs[i][0], pairs[i][1], flags[j]) ? '-' : 'y');
    putchar('\n');
}

int main(void)
{
    strings();
    wide();
    tables();
    patterns();
    return 0;
}
