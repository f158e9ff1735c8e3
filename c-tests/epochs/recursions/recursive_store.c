// Two threads serve for ever: each asks for a number in a tree that grows, under a lock, and counts under another one if it was there.
// Where an epoch begins nobody knows the tree, and the functions that search it and add to it call themselves.
//
// By hand: 2 epochs, and no deadlock. The first one has 1 schedule: both threads come to their loops. Behind the marker both have taken the
// lock of the tree one after the other, in one order, and each may have found its number: 4 schedules.
// run: enumerate --
// expect: epochs=2 schedules=5 complete=true deadlocked=0
// ignore-native: it serves for ever
#include <pthread.h>
#include <stdlib.h>

struct node {
    int key;
    struct node *left, *right;
};

static pthread_mutex_t tree = PTHREAD_MUTEX_INITIALIZER, statistics = PTHREAD_MUTEX_INITIALIZER;
static struct node *root;
static long hits;

static int depth_of(const struct node *n, int key)
{
    if (!n)
        return 0;
    if (n->key == key)
        return 1;
    int depth = depth_of(key < n->key ? n->left : n->right, key);
    return depth ? depth + 1 : 0;
}

static struct node *with(struct node *n, int key)
{
    if (!n) {
        n = calloc(1, sizeof *n);
        if (!n)
            exit(3);
        n->key = key;
    } else if (key < n->key) {
        n->left = with(n->left, key);
    } else {
        n->right = with(n->right, key);
    }
    return n;
}

static void *serve(void *arg)
{
    for (;;) {
        int key = rand();
        pthread_mutex_lock(&tree);
        int depth = depth_of(root, key);
        if (!depth)
            root = with(root, key);
        pthread_mutex_unlock(&tree);
        if (depth > 0) {
            pthread_mutex_lock(&statistics);
            hits++;
            pthread_mutex_unlock(&statistics);
        }
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    if (pthread_create(&a, NULL, serve, NULL) || pthread_create(&b, NULL, serve, NULL))
        return 1;
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
