// A hatch with eight places between a kitchen and its waiters, of which an input says how many there are; another one says how many dishes. Behind
// the dishes the kitchen puts one empty plate for each waiter, who goes home with it.
//
// By hand: nobody waits for ever. A waiter takes no more than one empty plate, so there is one for each, and where the hatch is full somebody takes
// from it. That takes that places in the hatch are known to be less than eight: they are computed by a mask, get larger from epoch to epoch while dishes are few, and
// no comparison of the program says where they end.
//
// run: enumerate -- @ @
// expect: complete=true deadlocked=0
// exec: 3 20
// stdout: 20 dishes
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct hatch {
    int dish[8];
    int take, put, used;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static struct hatch hatch = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
static int served;

static void hand_over(struct hatch *h, int dish)
{
    pthread_mutex_lock(&h->lock);
    while (h->used == 8)
        pthread_cond_wait(&h->changed, &h->lock);
    h->dish[h->put] = dish;
    h->put = (h->put + 1) & 7;
    h->used++;
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->lock);
}

static void *waiter(void *arg)
{
    struct hatch *h = arg;
    int dish;
    do {
        pthread_mutex_lock(&h->lock);
        while (h->used == 0)
            pthread_cond_wait(&h->changed, &h->lock);
        dish = h->dish[h->take];
        h->take = (h->take + 1) & 7;
        h->used--;
        served += dish != 0;
        pthread_cond_broadcast(&h->changed);
        pthread_mutex_unlock(&h->lock);
    } while (dish);
    return NULL;
}

int main(int argc, char **argv)
{
    int waiters = argc > 1 ? atoi(argv[1]) : 0, dishes = argc > 2 ? atoi(argv[2]) : 0;
    pthread_t threads[3];
    if (waiters < 1 || waiters > 3)
        return 2;
    for (int i = 0; i < waiters; i++)
        pthread_create(&threads[i], NULL, waiter, &hatch);
    for (int i = 1; i <= dishes; i++)
        hand_over(&hatch, i);
    for (int i = 0; i < waiters; i++)
        hand_over(&hatch, 0);
    for (int i = 0; i < waiters; i++)
        pthread_join(threads[i], NULL);
    printf("%d dishes\n", served);
    return 0;
}
