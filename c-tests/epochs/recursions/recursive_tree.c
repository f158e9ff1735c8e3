// A walk through a binary tree in the heap that takes the lock of each node; the input says how deep the tree is, up to 3.
//
// By hand, with a marker at the function's entry and names of epochs that tell one call of the recursion apart (--fold-depth 1): 7 epochs
// with 15 schedules, no deadlock. The entry has 1. At the root there is a node or none: 2. Further down there is a node, which leads to
// the same epoch, or none, and then it returns to the first or the second call of the root or of another node: 5. Behind the first call it
// goes down again: 1, at the root or elsewhere. Behind the second one, the root's ends all: 1; another one returns: 4.
// levels: O0
// run: enumerate --without whole-runs -- @
// expect: epochs=7 schedules=15 complete=true deadlocked=0
// exec: 3
// stdout: 1
// exec: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *left, *right;
    pthread_mutex_t lock;
    int visits;
};

static struct node *root;

static struct node *build(int depth)
{
    if (depth == 0)
        return NULL;
    struct node *n = malloc(sizeof *n);
    pthread_mutex_init(&n->lock, NULL);
    n->visits = 0;
    n->left = build(depth - 1);
    n->right = build(depth - 1);
    return n;
}

static void visit(struct node *n)
{
    if (n == NULL)
        return;
    pthread_mutex_lock(&n->lock);
    n->visits++;
    pthread_mutex_unlock(&n->lock);
    visit(n->left);
    visit(n->right);
}

static void *worker(void *arg)
{
    visit(root);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    int depth = argc > 1 ? atoi(argv[1]) : 1;
    root = build(depth > 3 ? 3 : depth < 0 ? 0 : depth);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    printf("%d\n", root ? root->visits : 0);
    return 0;
}
