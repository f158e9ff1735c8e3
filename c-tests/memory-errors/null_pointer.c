// A lookup that finds nothing returns null, and the caller does not look. (volatile: or the
// compiler concludes that the lookup always finds something.)
// exec: 2
// exec: 9
// error: null-pointer
#include <stdio.h>
#include <stdlib.h>

struct entry {
    int key;
    int value;
};

static struct entry table[3] = { { 1, 10 }, { 2, 20 }, { 3, 30 } };

static struct entry *find(int key)
{
    for (int i = 0; i < 3; i++)
        if (table[i].key == key)
            return &table[i];
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    struct entry *volatile e = find(atoi(argv[1]));
    printf("%d\n", e->value); //~ null-pointer
    return 0;
}
