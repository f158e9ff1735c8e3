// The players sit in a ring: who looks for one that is not there goes round for ever. So it is an assumption that the search ends, and so it is of a
// list that the program turns around.
// run: enumerate -- @
// expect: epochs=1 schedules>=1 complete=true deadlocked=0
// assumes: {seek} {turned}
// levels: O0
// exec: 2
// stdout: 2 3
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct player {
    int number;
    struct player *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct player *ring;

static void sit_down(int number)
{
    struct player *p = malloc(sizeof *p);
    if (!p)
        exit(1);
    p->number = number;
    if (ring) {
        p->next = ring->next;
        ring->next = p;
    } else {
        p->next = p;
        ring = p;
    }
}

struct word {
    int length;
    struct word *next;
};

static struct word *turn_around(struct word *list)
{
    struct word *turned = NULL;
    while (list) { //~ turned
        struct word *next = list->next;
        list->next = turned;
        turned = list;
        list = next;
    }
    return turned;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    int sought = atoi(argv[1]);
    for (int i = 0; i < 4; i++)
        sit_down(i);
    struct player *p = ring;
    while (p->number != sought) //~ seek
        p = p->next;
    static struct word words[2] = {{2, &words[1]}, {3, NULL}};
    struct word *list = turn_around(words);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    printf("%d %d\n", p->number, list->length);
    return 0;
}
