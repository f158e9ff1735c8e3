// What thread 0 has found out is read twice by each thread: to see whether it is a gain, and to take it if it is one. That is no branch, for the
// second time it is the same number, and all threads have the same gain: they go on together, as long as there is one.
// (6 schedules at -O0. If it is a branch: 12, with a deadlock that cannot happen.)
// run: enumerate -- @ @
// expect: complete=true deadlocked=0
// exec: 3 1
// exec: -5 4
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 2

static pthread_barrier_t barrier;
static double cost, price;
static int rounds;

static void *search(void *arg)
{
    int id = (int)(long)arg;
    double change = 1;
    while (change > 0.25) {
        change = 0;
        for (int i = 0; i < rounds; i++) {
            pthread_barrier_wait(&barrier);
            if (id == 0) {
                cost = price - cost / 2;
                price /= 2;
            }
            pthread_barrier_wait(&barrier); //~ found
            change += cost < 0 ? -cost : 0;
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    price = atof(argv[1]);
    rounds = atoi(argv[2]);
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, search, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    puts("found");
    return 0;
}
