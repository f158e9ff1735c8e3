// Two threads look for a number each in a tree of which each node has a lock of its own, and take that of the node that they find
// (Bergan 3.4.2). The tree has as many numbers as the input says. LOOKED_UP: the search is a recursion.
//
// By hand: 1 epoch, no deadlock. Each of the two searches finds a node or not, and both may find the same one, or two: 5 schedules.
//
// What grows the tree initialises locks, and is replaced by what it may do all the same: its nodes have no names that tell them apart, and a
// lock that no thread holds is free. The state that is known behind the loop is the one in which it is left: who asks what would be
// otherwise follows all ways through the tree of a number that is not inserted any more.
// variants: -DGROWN, -DLOOKED_UP
// levels: O0
// run: enumerate -- @ @ @
// expect: epochs=1 schedules=5 complete=true deadlocked=0
// exec: 3 7 90
// exec: 0 1 1
// exec: 1
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    int key, uses;
    struct node *left, *right;
    pthread_mutex_t lock;
};

static struct node *root;
static int wanted[2];

static struct node *grown(struct node *n, int key)
{
    if (!n) {
        n = calloc(1, sizeof *n);
        if (!n)
            exit(1);
        n->key = key;
        pthread_mutex_init(&n->lock, NULL);
    } else if (key < n->key) {
        n->left = grown(n->left, key);
    } else {
        n->right = grown(n->right, key);
    }
    return n;
}

#ifdef LOOKED_UP
static struct node *look_up(struct node *n, int key)
{
    if (!n || n->key == key)
        return n;
    return look_up(key < n->key ? n->left : n->right, key);
}
#else
static struct node *look_up(struct node *n, int key)
{
    while (n && n->key != key)
        n = key < n->key ? n->left : n->right;
    return n;
}
#endif

static void *use(void *arg)
{
    struct node *n = look_up(root, *(const int *)arg);
    if (n) {
        pthread_mutex_lock(&n->lock);
        n->uses++;
        pthread_mutex_unlock(&n->lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    if (argc < 4)
        return 2;
    int numbers = atoi(argv[1]);
    for (int i = 0; i < numbers; i++)
        root = grown(root, i * 37 % 100);
    wanted[0] = atoi(argv[2]);
    wanted[1] = atoi(argv[3]);
    pthread_create(&a, NULL, use, &wanted[0]);
    pthread_create(&b, NULL, use, &wanted[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
