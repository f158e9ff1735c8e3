// Two threads look for a number each in a tree of as many numbers as the input says, and take the lock that the node points to: one of four in an
// array, by the number.
//
// By hand: 1 epoch, no deadlock. Each search finds a node or not, and there are four locks: 1 + 4 + 4 + 16 schedules if it was decided which lock
// that is. So it is left open (Bergan 3.4.1.5), and there are 4.
//
// Behind the loop that grows the tree nobody knows what is in a node. Its pointer to a lock is one of the four elements: who takes it for any
// address in the array reads and writes locks byte by byte, in pieces of two of them. That the pointer was never set, or points behind the last
// element, is not known to be impossible, and told as a possible error: status 1.
// run: enumerate -- @ @ @
// expect: epochs=1 schedules=4 complete=true deadlocked=0
// status: 0 1
// levels: O0
// exec: 5 3 4
// exec: 2 0 7
// exec: 0 1 1
// exec: 1
// exit: 2
#include <pthread.h>
#include <stdlib.h>

struct node {
    int key, uses;
    struct node *left, *right;
    pthread_mutex_t *lock;
};

static pthread_mutex_t locks[4];
static struct node *root;

static void grow(int key)
{
    struct node **at = &root;
    while (*at)
        at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    struct node *n = calloc(1, sizeof *n);
    if (!n)
        exit(1);
    n->key = key;
    n->lock = &locks[key & 3];
    *at = n;
}

static void *use(void *arg)
{
    struct node *n = root;
    int key = *(const int *)arg;
    while (n && n->key != key)
        n = key < n->key ? n->left : n->right;
    if (n) {
        pthread_mutex_lock(n->lock);
        n->uses++;
        pthread_mutex_unlock(n->lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    if (argc < 4)
        return 2;
    int numbers = atoi(argv[1]), first = atoi(argv[2]), second = atoi(argv[3]);
    for (int i = 0; i < 4; i++)
        pthread_mutex_init(&locks[i], NULL);
    for (int i = 0; i < numbers; i++)
        grow(i * 37 % 100);
    pthread_create(&a, NULL, use, &first);
    pthread_create(&b, NULL, use, &second);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
