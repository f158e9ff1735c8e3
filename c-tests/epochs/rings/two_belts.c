// Crates go by two belts of four places each, one behind the other: main puts them on the first, a worker moves them to the second, and
// another one takes them off. Each knows how many there are.
//
// By hand: no deadlock. The places are told by `first` and `last`, which are kept modulo four: so it must be known at the markers that
// they are never larger, or a crate might be put where the belt's counters and its lock are.
// run: enumerate -- @
// expect: complete=true deadlocked=0
// exec: 0
// stdout: 0
// exec: 6
// stdout: 15
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define PLACES 4

struct belt {
    int place[PLACES];
    int first, last, on;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static struct belt belts[2] = {
    { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER },
    { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER },
};
static int crates;

static void put(struct belt *b, int crate)
{
    pthread_mutex_lock(&b->lock);
    while (b->on == PLACES)
        pthread_cond_wait(&b->changed, &b->lock);
    b->place[b->last] = crate;
    b->last = (b->last + 1) % PLACES;
    b->on++;
    pthread_cond_signal(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

static int take(struct belt *b)
{
    pthread_mutex_lock(&b->lock);
    while (b->on == 0)
        pthread_cond_wait(&b->changed, &b->lock);
    int crate = b->place[b->first];
    b->first = (b->first + 1) % PLACES;
    b->on--;
    pthread_cond_signal(&b->changed);
    pthread_mutex_unlock(&b->lock);
    return crate;
}

static void *move(void *arg)
{
    (void)arg;
    for (int i = 0; i < crates; i++)
        put(&belts[1], take(&belts[0]));
    return NULL;
}

static void *unload(void *arg)
{
    long *sum = arg;
    for (int i = 0; i < crates; i++)
        *sum += take(&belts[1]);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t mover, unloader;
    long sum = 0;
    crates = argc > 1 ? atoi(argv[1]) : 6;
    pthread_create(&mover, NULL, move, NULL);
    pthread_create(&unloader, NULL, unload, &sum);
    for (int i = 0; i < crates; i++)
        put(&belts[0], i);
    pthread_join(mover, NULL);
    pthread_join(unloader, NULL);
    printf("%ld\n", sum);
    return 0;
}
