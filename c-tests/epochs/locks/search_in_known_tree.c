// Two threads look for a number each in a tree of seven nodes that the program knows, and take the lock of the node that they find.
//
// By hand: 1 epoch, no deadlock. If it was decided which node is found there would be 1 + 7 + 7 + 49 schedules, so it is left open (Bergan
// 3.4.1.5): 4 schedules. Behind the first thread the state of the second one's lock is a choice between those of all nodes, some of which
// the first one has written: free, whichever it is, since no thread holds one.
// run: enumerate -- @ @
// expect: epochs=1 schedules=4 complete=true deadlocked=0
// levels: O0
// exec: 10 90
// exec: 55 55
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

static struct node *look_up(struct node *n, int key)
{
    while (n && n->key != key)
        n = key < n->key ? n->left : n->right;
    return n;
}

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
    if (argc < 3)
        return 2;
    static const int keys[] = {50, 20, 80, 10, 30, 70, 90};
    for (int i = 0; i < 7; i++)
        root = grown(root, keys[i]);
    wanted[0] = atoi(argv[1]);
    wanted[1] = atoi(argv[2]);
    pthread_create(&a, NULL, use, &wanted[0]);
    pthread_create(&b, NULL, use, &wanted[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
