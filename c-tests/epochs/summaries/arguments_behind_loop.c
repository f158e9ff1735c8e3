// A registry on the heap is filled by a loop that the input bounds; the arguments behind that loop say which entry a thread stamps.
//
// By hand: 1 epoch with 4 schedules, no deadlock and no error: each of two threads has found its entry, or not. The loop stores
// through pointers into the registry that nobody knows when it is replaced. They may be anywhere that the program puts such
// pointers, and the argument vector is not there: what `argv[2]` is stays known.
// levels: O0
// run: enumerate -- @ @ @
// expect: epochs=1 schedules=4 complete=true
// exec: 3 2 40
// stdout: 1 stamped
// exec: 3 2 1
// stdout: 2 stamped
// exec: 0 5 6
// stdout: 0 stamped
// exec: 1
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct entry {
    int number, stamp;
    struct entry *before;
};

struct registry {
    struct entry *last;
    pthread_mutex_t lock;
    int stamped;
};

static struct registry *all;

static void enrol(struct registry *r, int number)
{
    struct entry *e = calloc(1, sizeof *e);
    if (!e)
        exit(1);
    e->number = number;
    e->before = r->last;
    r->last = e;
}

static void *stamp(void *arg)
{
    int number = *(int *)arg;
    struct entry *e = all->last;
    while (e && e->number != number)
        e = e->before;
    if (e) {
        pthread_mutex_lock(&all->lock);
        e->stamp = number;
        all->stamped++;
        pthread_mutex_unlock(&all->lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    all = calloc(1, sizeof *all);
    if (!all)
        return 1;
    pthread_mutex_init(&all->lock, NULL);
    int n = atoi(argv[1]);
    for (int i = 0; i < n; i++)
        enrol(all, i);
    int wanted[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        wanted[i] = atoi(argv[2 + i]);
        pthread_create(&threads[i], NULL, stamp, &wanted[i]);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d stamped\n", all->stamped);
    return 0;
}
