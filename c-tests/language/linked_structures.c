// A hash table with chains, grown with realloc; pointers to pointers; flexible array member.
// exec: 30
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    struct entry *next;
    int count;
    char key[];
};

static struct entry *bucket[8];

static unsigned hash(const char *s)
{
    unsigned h = 5381;
    while (*s)
        h = h * 33 + (unsigned char)*s++;
    return h;
}

static struct entry *lookup(const char *key)
{
    struct entry **link = &bucket[hash(key) % 8];
    while (*link && strcmp((*link)->key, key) != 0)
        link = &(*link)->next;
    if (!*link) {
        *link = malloc(sizeof **link + strlen(key) + 1);
        (*link)->next = NULL;
        (*link)->count = 0;
        strcpy((*link)->key, key);
    }
    return *link;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 3, entries = 0, capacity = 2;
    int *all = malloc((size_t)capacity * sizeof *all);
    char key[16];
    for (int i = 0; i < n; i++) {
        snprintf(key, sizeof key, "key%d", i * i % 13);
        lookup(key)->count += i;
    }
    for (int i = 0; i < 8; i++)
        for (struct entry *e = bucket[i], *next; e; e = next) {
            if (entries == capacity) {
                capacity *= 2;
                all = realloc(all, (size_t)capacity * sizeof *all);
            }
            all[entries++] = e->count;
            printf("%s=%d ", e->key, e->count);
            next = e->next;
            free(e);
        }
    printf("\n%d entries, last %d\n", entries, entries ? all[entries - 1] : -1);
    free(all);
    return 0;
}
