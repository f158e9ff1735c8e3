// Lists that are built by new nodes only: at the beginning, at the end, in the middle, and taken out again. No way along them leads back, so that
// searches in the first two end is proved. Of the third one, which is built through a pointer to the last link, that is not known, and so it is not of
// the function that searches in all three. An input says which node is sought.
// run: enumerate -- @ @
// expect: epochs=1 schedules>=1 complete=true deadlocked=0
// assumes: {has}
// levels: O0
// exec: 5 3
// stdout: 1 1 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    int key;
    char name[8];
    struct node *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *stack, *first, *last, *sorted;

static struct node *new_node(int key)
{
    struct node *n = malloc(sizeof *n);
    if (!n)
        exit(1);
    n->key = key;
    n->name[key & 7] = 'x';
    n->next = NULL;
    return n;
}

static void push(struct node *n)
{
    n->next = stack;
    stack = n;
}

static void append(int key)
{
    struct node *n = new_node(key);
    if (last)
        last->next = n;
    else
        first = n;
    last = n;
}

static void insert(int key)
{
    struct node **at = &sorted, *n = new_node(key);
    while (*at && (*at)->key < key)
        at = &(*at)->next;
    n->next = *at;
    *at = n;
}

static void take_out(int key)
{
    struct node *before = NULL, *n = first;
    while (n && n->key != key) {
        before = n;
        n = n->next;
    }
    if (n && before)
        before->next = n->next;
}

static int has(struct node *n, int key)
{
    while (n && n->key != key) //~ has
        n = n->next;
    return n != NULL;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    int count = atoi(argv[1]), key = atoi(argv[2]);
    if (count > 6)
        return 2;
    for (int i = 0; i < count; i++) {
        push(new_node(i));
        append(i);
        insert(count - i);
    }
    take_out(key + 1);
    int found[3] = {has(stack, key), has(first, key), has(sorted, key)};
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    printf("%d %d %d\n", found[0], found[1], found[2]);
    return 0;
}
