// Two threads look for a number each in a tree that was built from the input, and take a lock if it is there (Bergan 3.4.2).
//
// By hand: 1 epoch with 4 schedules, no deadlock; no loop synchronises, so there is no marker. What decides is whether each
// search has found something, not how it went: without an abstraction of the loops that build and search the tree there is a
// schedule for each way through them, and always the same four orders of events.
// exec: 3 9 5 3 7 9
// stdout: 2 found
// exec: 4 5 5 3 7
// stdout: 1 found
// exec: 1 2
// stdout: 0 found
// exec: 1
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
static int found;

static void insert(int key)
{
    struct node **at = &root;
    while (*at && (*at)->key != key)
        at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    if (!*at) {
        *at = calloc(1, sizeof **at);
        if (!*at)
            exit(1);
        (*at)->key = key;
    }
}

static void *look_for(void *arg)
{
    const struct node *n = root;
    while (n && n->key != *(int *)arg)
        n = *(int *)arg < n->key ? n->left : n->right;
    if (n) {
        pthread_mutex_lock(&lock);
        found++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    if (argc < 3)
        return 2;
    int first = atoi(argv[1]), second = atoi(argv[2]);
    for (int i = 3; i < argc; i++)
        insert(atoi(argv[i]));
    pthread_create(&a, NULL, look_for, &first);
    pthread_create(&b, NULL, look_for, &second);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d found\n", found);
    return 0;
}
