// Recursion: simple, double, mutual, through a tree on the heap.
// exec: 10
#include <stdio.h>
#include <stdlib.h>

struct tree {
    int key;
    struct tree *left, *right;
};

static unsigned long factorial(unsigned n) { return n < 2 ? 1 : n * factorial(n - 1); }
static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static int is_odd(int n);
static int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }
static int is_odd(int n) { return n == 0 ? 0 : is_even(n - 1); }

static int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

static struct tree *insert(struct tree *t, int key)
{
    if (!t) {
        t = calloc(1, sizeof *t);
        t->key = key;
    } else if (key < t->key) {
        t->left = insert(t->left, key);
    } else {
        t->right = insert(t->right, key);
    }
    return t;
}

static int height(const struct tree *t)
{
    if (!t)
        return 0;
    int l = height(t->left), r = height(t->right);
    return 1 + (l > r ? l : r);
}

static void release(struct tree *t)
{
    if (t) {
        release(t->left);
        printf("%d ", t->key);
        release(t->right);
        free(t);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 5;
    struct tree *root = NULL;
    for (int i = 0; i < n; i++)
        root = insert(root, i * 7 % 11);
    printf("%lu %d %d %d\n", factorial((unsigned)n), fibonacci(n), is_even(n), ackermann(2, 3));
    printf("height %d\n", height(root));
    release(root);
    puts("");
    return 0;
}
