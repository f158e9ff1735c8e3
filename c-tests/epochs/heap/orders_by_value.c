// Orders are a function and its argument, copied by value out of a table behind the handles of the cooks; which function it is depends on the
// input.
//
// By hand: main hands in four orders, closes the kitchen and joins the cooks, which is the first epoch. A cook takes an order and comes round
// again, or finds none and ends. What an order calls does not synchronise, so that which function it is decides nothing: in the second epoch there is one
// schedule for each way in which orders are left for both cooks, for one, or for none.
// (6 schedules; as a whole run it has 16, one for each way.)
// run: enumerate --without whole-runs -- @
// expect: epochs=2 complete=true deadlocked=0
// exec: 6
// exec: 15
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define COOKS 2
#define ORDERS 4

struct order {
    void (*prepare)(long);
    long table;
};

struct kitchen {
    pthread_mutex_t lock;
    pthread_cond_t bell;
    pthread_t cooks[COOKS];
    struct order orders[ORDERS];
    int next, end, closed;
};

static atomic_long soups, salads;

static void soup(long table)
{
    soups += table;
}

static void salad(long table)
{
    salads += table + 10;
}

static void *cook(void *arg)
{
    struct kitchen *kitchen = arg;
    for (;;) {
        pthread_mutex_lock(&kitchen->lock);
        while (kitchen->next == kitchen->end && !kitchen->closed)
            pthread_cond_wait(&kitchen->bell, &kitchen->lock);
        if (kitchen->next == kitchen->end) {
            pthread_mutex_unlock(&kitchen->lock);
            return NULL;
        }
        struct order order = kitchen->orders[kitchen->next++];
        pthread_mutex_unlock(&kitchen->lock);
        order.prepare(order.table);
    }
}

static void hand_in(struct kitchen *kitchen, void (*prepare)(long), long table)
{
    pthread_mutex_lock(&kitchen->lock);
    kitchen->orders[kitchen->end++] = (struct order){prepare, table};
    pthread_cond_signal(&kitchen->bell);
    pthread_mutex_unlock(&kitchen->lock);
}

int main(int argc, char **argv)
{
    unsigned wish = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    struct kitchen *kitchen = calloc(1, sizeof *kitchen);
    if (!kitchen)
        return 1;
    pthread_mutex_init(&kitchen->lock, NULL);
    pthread_cond_init(&kitchen->bell, NULL);
    for (int i = 0; i < COOKS; i++)
        pthread_create(&kitchen->cooks[i], NULL, cook, kitchen);
    for (int i = 0; i < ORDERS; i++, wish >>= 1)
        hand_in(kitchen, wish & 1 ? soup : salad, i);
    pthread_mutex_lock(&kitchen->lock);
    kitchen->closed = 1;
    pthread_cond_broadcast(&kitchen->bell);
    pthread_mutex_unlock(&kitchen->lock);
    for (int i = 0; i < COOKS; i++)
        pthread_join(kitchen->cooks[i], NULL);
    printf("%ld %ld\n", (long)soups, (long)salads);
    free(kitchen);
    return 0;
}
