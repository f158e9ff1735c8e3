// Two threads look for a number each in a tree of as many numbers as the input says, with functions that call themselves, and take a lock
// if it is there (Bergan 3.4.2). The numbers are in no order, so the search goes both ways, and not both of its calls are loops to a compiler.
//
// By hand: 1 epoch with 4 schedules, no deadlock; no recursion synchronises, so there is no marker. What decides is whether each search has
// found something: which activation did is one of the inputs that nobody follows. Where the recursions are not replaced by what they may
// do, there is a path for each shape of the tree.
// run: enumerate -- @ @ @
// expect: epochs=1 schedules=4 complete=true deadlocked=0
// levels: O0 O1
// exec: 5 10 4
// stdout: 2 found, 4 in the tree
// exec: 5 11 4
// stdout: 1 found, 4 in the tree
// exec: 5 10 0
// stdout: 0 found, 0 in the tree
// exec: 5 10
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    int key;
    struct node *left, *right;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *root;
static int found, nodes;

static struct node *grow(struct node *n, int key, unsigned way)
{
    if (!n) {
        n = calloc(1, sizeof *n);
        if (!n)
            exit(1);
        n->key = key;
        nodes++;
    } else if (way & 1) {
        n->left = grow(n->left, key, way >> 1);
    } else {
        n->right = grow(n->right, key, way >> 1);
    }
    return n;
}

static int is_in(const struct node *n, int key)
{
    return n && (n->key == key || is_in(n->left, key) || is_in(n->right, key));
}

static void *look_for(void *arg)
{
    if (is_in(root, *(int *)arg)) {
        pthread_mutex_lock(&lock);
        found++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    if (argc < 4)
        return 2;
    int first = atoi(argv[1]), second = atoi(argv[2]), numbers = atoi(argv[3]);
    for (int i = 0; i < numbers; i++)
        root = grow(root, i * 5, (unsigned)i);
    pthread_create(&a, NULL, look_for, &first);
    pthread_create(&b, NULL, look_for, &second);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d found, %d in the tree\n", found, nodes);
    return 0;
}
