// Hash tables of search.h take a prime number of entries, and none at all if there is no memory for so many.
// exec:
#define _GNU_SOURCE
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <string.h>

static void fill(size_t n)
{
    static char *const keys[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
    struct hsearch_data table;
    memset(&table, 0, sizeof table);
    errno = 0;
    int made = hcreate_r(n, &table);
    printf("%zx: %d", n, made ? 0 : errno);
    for (int i = 0; made && i < 8; i++) {
        ENTRY entry = { keys[i], NULL }, *found = NULL;
        errno = 0;
        int there = hsearch_r(entry, ENTER, &found, &table);
        printf(" %d%d", there, errno == ENOMEM);
    }
    putchar('\n');
    if (made)
        hdestroy_r(&table);
}

int main(void)
{
    fill(0);
    fill(3);
    fill(4);
    fill(7);
    fill((size_t)-1);
    fill((size_t)1 << 60);
    fill(0xFFFFFFFE);
    return 0;
}
