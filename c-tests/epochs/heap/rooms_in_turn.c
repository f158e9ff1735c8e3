// Main goes through three rooms, one behind the other, and locks each; another thread locks the first one as often as the input says. Optimised, the recursion is a loop.
//
// By hand: 2 schedules in the entry, for the thread may not look at all; 2 where only main goes on, to another room, or to its end; where
// both do, main is in front of each of the three rooms, and the thread looks for the last time, or not: 6; and 2 when main waits for it.
// Which room main is in front of is in a register; it is compared with the address of a room, which the list gives a name to.
// levels: O2
// run: enumerate -- @
// expect: epochs=4 schedules=12 complete=true deadlocked=0
// constraint: == rooms->next->next
// exec: 1
// exec:
// exit: 2
#include <pthread.h>
#include <stdlib.h>

struct room {
    pthread_mutex_t door;
    struct room *next;
    int dust;
};

static struct room *rooms;
static int left, looks;

static void sweep(struct room *r)
{
    if (!r)
        return;
    pthread_mutex_lock(&r->door);
    r->dust = left;
    pthread_mutex_unlock(&r->door);
    sweep(r->next);
}

static void *look(void *arg)
{
    struct room *r = arg;
    for (int i = 0; i < looks; i++) {
        pthread_mutex_lock(&r->door);
        left += r->dust;
        pthread_mutex_unlock(&r->door);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2)
        return 2;
    looks = atoi(argv[1]);
    for (int i = 0; i < 3; i++) {
        struct room *r = malloc(sizeof *r);
        if (!r)
            return 3;
        pthread_mutex_init(&r->door, NULL);
        r->dust = looks;
        r->next = rooms;
        rooms = r;
    }
    pthread_create(&t, NULL, look, rooms);
    sweep(rooms);
    pthread_join(t, NULL);
    return 0;
}
