// What looks like a reason to end and is none: a pointer that stays null at the end of a list, a sum behind a call
// that may never return, links that are copied with their structure. The last loop ends unless its counter overflows,
// which C excludes and a processor does not.
// run: enumerate -- @ @
// expect: epochs=1 complete=true deadlocked=0
// assumes: {last} {halves} {copied}
// levels: O0
// cflags: -fno-builtin
// exec: 1 4
// exit: 0
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    unsigned number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned halves(unsigned n) //~ halves
{
    if (n == 0)
        return 0;
    unsigned r = halves(n + 2);
    return r + 10 / (n < 5);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    unsigned x = (unsigned)atoi(argv[1]), n = (unsigned)atoi(argv[2]), found = 0;
    struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    if (!a || !b)
        return 1;
    a->number = b->number = 1;
    a->next = NULL;
    struct node *last = a;
    for (; x != 1; x *= 3) //~ last
        last = last ? last->next : NULL;
    if (x == 2)
        found = halves(n);
    a->next = b;
    memcpy(b, a, sizeof *a);
    for (struct node *p = a; p; p = p->next) //~ copied
        if (p->number == 1)
            break;
    int bit;
    for (bit = 0; !(n & 1u << bit); bit++)
        found++;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return found > 100;
}
