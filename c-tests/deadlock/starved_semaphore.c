// Two items are consumed, the input says how many are produced: with fewer than two, the consumer starves. The
// producer's loop is bounded, so the set is finite: 0, 1, 2 and 3 items.
// run: enumerate --without epochs -- @
// expect: epochs=1 schedules=4 complete=true deadlocked=2
// exec: 2
// exit: 0
// exec: 3
// exit: 0
// exec: 1
// error: deadlock
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static sem_t items;
static int taken;

static void *consumer(void *arg)
{
    for (int i = 0; i < 2; i++) {
        sem_wait(&items);
        taken++;
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2)
        return 2;
    int produced = atoi(argv[1]);
    if (produced < 0 || produced > 3)
        return 2;
    sem_init(&items, 0, 0);
    pthread_create(&t, NULL, consumer, NULL);
    for (int i = 0; i < produced; i++)
        sem_post(&items);
    pthread_join(t, NULL);
    printf("%d taken\n", taken);
    return 0;
}
