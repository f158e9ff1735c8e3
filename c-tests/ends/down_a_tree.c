// A search tree that a recursion builds, leaf by leaf: each call gives back the node that it was given, or a new one. Whether insertions, walks and
// searches end is not proved, though no way leads back.
// run: enumerate -- @
// expect: epochs=1 schedules>=1 complete=true deadlocked=0
// assumes: {insert} {size} {has}
// levels: O0
// exec: 4
// stdout: 4 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct tree {
    unsigned key;
    struct tree *left, *right;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct tree *insert(struct tree *t, unsigned key) //~ insert
{
    if (!t) {
        t = calloc(1, sizeof *t);
        if (!t)
            exit(1);
        t->key = key;
    } else if (key < t->key) {
        t->left = insert(t->left, key);
    } else if (key > t->key) {
        t->right = insert(t->right, key);
    }
    return t;
}

static int size(const struct tree *t) //~ size
{
    return t ? 1 + size(t->left) + size(t->right) : 0;
}

static int has(const struct tree *t, unsigned key)
{
    while (t && t->key != key) //~ has
        t = key < t->key ? t->left : t->right;
    return t != NULL;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    unsigned n = (unsigned)atoi(argv[1]);
    if (n > 5)
        return 2;
    struct tree *t = NULL;
    for (unsigned i = 0; i < n; i++)
        t = insert(t, i * 7 % 5);
    int nodes = size(t), found = has(t, 2);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    printf("%d %d\n", nodes, found);
    return 0;
}
