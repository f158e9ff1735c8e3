// qsort and bsearch with comparison functions, over numbers, strings and structures.
// exec: 42
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
    char name[8];
    int rank;
};

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int by_rank(const void *a, const void *b)
{
    return ((const struct item *)b)->rank - ((const struct item *)a)->rank;
}

int main(int argc, char **argv)
{
    int v[20];
    const char *w[] = { "pear", "apple", "fig", "apricot" };
    struct item items[] = { { "low", 1 }, { "high", 9 }, { "mid", 5 } };
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    for (int i = 0; i < 20; i++) {
        seed = seed * 1103515245u + 12345u;
        v[i] = (int)(seed >> 16) % 100;
    }
    qsort(v, 20, sizeof *v, by_value);
    qsort(w, 4, sizeof *w, by_text);
    qsort(items, 3, sizeof *items, by_rank);
    for (int i = 0; i < 20; i++)
        printf("%d ", v[i]);
    puts("");
    int *found = bsearch(&v[7], v, 20, sizeof *v, by_value), missing = 1000;
    printf("%d %d\n", found && *found == v[7], bsearch(&missing, v, 20, sizeof *v, by_value) == NULL);
    for (int i = 0; i < 4; i++)
        printf("%s ", w[i]);
    for (int i = 0; i < 3; i++)
        printf("%s ", items[i].name);
    puts("");
    return 0;
}
