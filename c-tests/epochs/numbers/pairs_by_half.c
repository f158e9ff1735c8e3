// A printer prints sheets, two at a time, and a binder binds each pair before the next one is printed. The printer counts sheets up to the
// number that the input gives; the binder has computed half of it before its loop.
//
// By hand: 2 epochs with 3 schedules, no deadlock. The entry has 1. Behind it both are at their loops, and the printer has printed twice as
// many sheets as pairs are bound: either there is another pair, and both go round, or there is none, and both end. Whoever does not know
// that the binder's number is half of what the printer's is compared with finds two deadlocks.
// run: enumerate -- @
// expect: epochs=2 schedules>=3 complete=true deadlocked=0
// levels: O0
// exec: 7
// stdout: 3 pairs
// exec: -3
// stdout: 0 pairs
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

struct order {
    int sheets, pairs;
    sem_t printed, bound;
};

static void *print(void *arg)
{
    struct order *order = arg;
    for (int sheet = 0; sheet + 1 < order->sheets; sheet += 2) {
        sem_post(&order->printed);
        sem_wait(&order->bound);
    }
    return NULL;
}

static void *bind(void *arg)
{
    struct order *order = arg;
    int half = order->sheets / 2;
    for (int pair = 0; pair < half; pair++) {
        sem_wait(&order->printed);
        order->pairs++;
        sem_post(&order->bound);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    struct order *order = malloc(sizeof *order);
    order->sheets = atoi(argv[1]);
    order->pairs = 0;
    sem_init(&order->printed, 0, 0);
    sem_init(&order->bound, 0, 0);
    pthread_t printer, binder;
    pthread_create(&printer, NULL, print, order);
    pthread_create(&binder, NULL, bind, order);
    pthread_join(printer, NULL);
    pthread_join(binder, NULL);
    printf("%d pairs\n", order->pairs);
    free(order);
    return 0;
}
