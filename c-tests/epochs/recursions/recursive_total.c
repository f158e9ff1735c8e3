// A list of unknown length is added up and cut to size by functions that call each other; what comes out says which of two locks is taken,
// and what they have left in memory whether another one is taken before.
//
// By hand: 1 epoch with 4 schedules: two ways to choose a lock, with and without the other one before. Nothing that the functions do with the items
// is a condition, but that there is a first item, which the outermost activation asks.
// run: enumerate -- @
// expect: epochs=1 schedules=4 complete=true deadlocked=0
// exec: 3
// stdout: 5 little, 0 cut
// exec: 9
// stdout: 31 much, 4 cut
// exec: 12
// stdout: 45 much, 6 cut
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct item {
    int value;
    struct item *next;
};

static pthread_mutex_t little = PTHREAD_MUTEX_INITIALIZER, much = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t before = PTHREAD_MUTEX_INITIALIZER;
static int cut;

static int total_of_odd(struct item *i);

static int total_of_even(struct item *i)
{
    if (!i)
        return 0;
    if (i->value > 6) {
        i->value = 6;
        cut += 2;
    }
    return i->value + total_of_odd(i->next);
}

static int total_of_odd(struct item *i)
{
    if (!i)
        return 0;
    return i->value / 2 + total_of_even(i->next);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    struct item *all = NULL;
    int n = atoi(argv[1]);
    for (int value = 1; value <= n; value++) {
        struct item *i = malloc(sizeof *i);
        if (!i)
            return 1;
        i->value = value;
        i->next = all;
        all = i;
    }
    int total = total_of_even(all);
    if (cut) {
        pthread_mutex_lock(&before);
        pthread_mutex_unlock(&before);
    }
    pthread_mutex_t *chosen = total > 20 ? &much : &little;
    pthread_mutex_lock(chosen);
    pthread_mutex_unlock(chosen);
    printf("%d %s, %d cut\n", total, total > 20 ? "much" : "little", cut);
    return 0;
}
