// Two porters carry trunks from a list; a heavy trunk is put back on the list, lighter. The landlord puts as many on the list as an input says, waits until
// nothing is listed or carried, closes, and waits for both.
//
// By hand: who waits for trunks is woken for each, the landlord when the last one has been carried, and both porters when he closes, so nobody waits for
// ever. The porters' handles stand behind the list's ends: written at an index that a comparison with a constant limits, they are no ends of lists.
//
// run: enumerate -- @
// expect: complete=true deadlocked=0
// exec: 3
// stdout: 6
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define PORTERS 2

struct trunk {
    struct trunk *next;
    int weight;
};

struct house {
    pthread_mutex_t lock;
    pthread_cond_t listed, quiet;
    struct trunk *first, *last;
    int waiting, carried, is_closed;
    long trips;
    pthread_t porters[PORTERS];
};

static struct house house = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .listed = PTHREAD_COND_INITIALIZER, .quiet = PTHREAD_COND_INITIALIZER};

static void must(int failed)
{
    if (failed)
        exit(1);
}

static void put(struct house *h, int weight)
{
    struct trunk *trunk = malloc(sizeof *trunk);
    must(trunk == NULL);
    trunk->next = NULL;
    trunk->weight = weight;
    must(pthread_mutex_lock(&h->lock));
    if (h->last)
        h->last->next = trunk;
    else
        h->first = trunk;
    h->last = trunk;
    h->waiting++;
    must(pthread_cond_signal(&h->listed));
    must(pthread_mutex_unlock(&h->lock));
}

static void *porter(void *arg)
{
    struct house *h = arg;
    must(pthread_mutex_lock(&h->lock));
    for (;;) {
        while (h->waiting == 0 && !h->is_closed)
            must(pthread_cond_wait(&h->listed, &h->lock));
        if (h->waiting == 0)
            break;
        struct trunk *trunk = h->first;
        h->first = trunk->next;
        if (!h->first)
            h->last = NULL;
        h->waiting--;
        h->carried++;
        must(pthread_mutex_unlock(&h->lock));
        int weight = trunk->weight;
        free(trunk);
        if (weight > 0)
            put(h, weight - 1);
        must(pthread_mutex_lock(&h->lock));
        h->carried--;
        h->trips++;
        if (h->carried == 0 && h->waiting == 0)
            must(pthread_cond_broadcast(&h->quiet));
    }
    must(pthread_mutex_unlock(&h->lock));
    return NULL;
}

int main(int argc, char **argv)
{
    int trunks = argc > 1 ? atoi(argv[1]) : 4;
    for (int i = 0; i < PORTERS; i++)
        must(pthread_create(&house.porters[i], NULL, porter, &house));
    for (int i = 0; i < trunks; i++)
        put(&house, 1);
    must(pthread_mutex_lock(&house.lock));
    while (house.waiting > 0 || house.carried > 0)
        must(pthread_cond_wait(&house.quiet, &house.lock));
    house.is_closed = 1;
    must(pthread_cond_broadcast(&house.listed));
    must(pthread_mutex_unlock(&house.lock));
    for (int i = 0; i < PORTERS; i++)
        must(pthread_join(house.porters[i], NULL));
    printf("%ld\n", house.trips);
    return 0;
}
