// Two threads each look for two numbers in a list of four, and take the locks of both nodes if they find both.
//
// By hand: if both numbers are the same one, and in the list, a thread waits for itself; else there is no deadlock. The search is replaced
// by what it may do, once for each number: the second thread finds what the first one has found, but nothing says that two numbers that are
// equal are found at one node, and others are not. So there are deadlocks of one thread that cannot happen. What a thread does with its second
// node matters only if it has found its first one, but whether the other thread's node is that one does not depend on it: it has one name on
// all paths. Else some inputs have no schedule, and `verify` finds it.
// run: enumerate --without whole-runs -- @ @
// expect: epochs=1 complete=true
// exec: 1 2
// exec: 3 9
// exec: 7 8
// exec: 1
// exit: 2
#include <pthread.h>
#include <stdlib.h>

struct set {
    int id;
    pthread_mutex_t lock;
    struct set *next;
};

static struct set *sets;
static int a, b;

static struct set *search(int id)
{
    for (struct set *s = sets; s; s = s->next)
        if (s->id == id)
            return s;
    return NULL;
}

static void *merge(void *arg)
{
    struct set *x = search(a), *y = search(b);
    if (!x || !y)
        return arg;
    pthread_mutex_lock(&x->lock);
    pthread_mutex_lock(&y->lock);
    pthread_mutex_unlock(&y->lock);
    pthread_mutex_unlock(&x->lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    if (argc < 3)
        return 2;
    for (int id = 4; id > 0; id--) {
        struct set *s = calloc(1, sizeof *s);
        if (!s)
            exit(1);
        s->id = id;
        pthread_mutex_init(&s->lock, NULL);
        s->next = sets;
        sets = s;
    }
    a = atoi(argv[1]);
    b = atoi(argv[2]);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, merge, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
