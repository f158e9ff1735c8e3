// A tree of as many numbers as the input says is written by a function that calls itself, each with the way to it: formatting text may come
// to what is not supported, but does not here. How many of the numbers are seven says which lock is taken.
//
// By hand: 1 epoch with 2 schedules. The calls of the function in itself are looked into, and nothing is found there.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true
// levels: O0 O1
// exec: 3
// stdout: 0 at
// stdout: 14 at l
// stdout: 7 at r
// stdout: 1
// exec: 0
// stdout: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    int key;
    struct node *left, *right;
};

static pthread_mutex_t none = PTHREAD_MUTEX_INITIALIZER, some = PTHREAD_MUTEX_INITIALIZER;

static struct node *with(struct node *n, int key, int to_left)
{
    if (!n) {
        n = calloc(1, sizeof *n);
        if (!n)
            exit(1);
        n->key = key;
    } else if (to_left) {
        n->left = with(n->left, key, 0);
    } else {
        n->right = with(n->right, key, 1);
    }
    return n;
}

static int sevens(const struct node *n, const char *way)
{
    char longer[16];
    if (!n)
        return 0;
    printf("%d at%s\n", n->key, way);
    snprintf(longer, sizeof longer, "%s%s", *way ? way : " ", "l");
    int found = sevens(n->left, longer);
    snprintf(longer, sizeof longer, "%s%s", *way ? way : " ", "r");
    return found + sevens(n->right, longer) + (n->key == 7);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 1;
    struct node *root = NULL;
    int n = atoi(argv[1]);
    for (int i = 0; i < n; i++)
        root = with(root, i * 7, i == 2);
    int found = sevens(root, "");
    pthread_mutex_t *chosen = found ? &some : &none;
    pthread_mutex_lock(chosen);
    pthread_mutex_unlock(chosen);
    printf("%d\n", found);
    return 0;
}
