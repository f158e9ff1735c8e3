// Each thread adds up its share of prices, for as long as an input says; thread 0 puts the sums together, and all begin with that. However
// often the loops have gone round, all threads have the same number, so they halve it equally often, and meet at the barrier each time.
//
// levels: O0
// run: enumerate -- @ @ 3
// expect: complete=true deadlocked=0
// exec: 5 4 3
// exec: 1 2 0.5
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 2
#define PRICES 5

static pthread_barrier_t barrier;
static double prices[PRICES], part[THREADS], least;
static int count;

static double sum_of_all(double mine, int id)
{
    static double total;
    part[id] = mine;
    pthread_barrier_wait(&barrier);
    if (id == 0) {
        total = 0;
        for (int i = 0; i < THREADS; i++)
            total += part[i];
    }
    pthread_barrier_wait(&barrier);
    return total;
}

static void *halve(void *arg)
{
    int id = (int)(long)arg;
    double mine = 0;
    for (int i = id; i < count; i += THREADS)
        mine += prices[i];
    double all = sum_of_all(mine, id);
    do {
        pthread_barrier_wait(&barrier); //~ halved
        all /= 2;
    } while (all > least);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    count = atoi(argv[1]);
    least = atof(argv[3]);
    if (count < 1 || count > PRICES || !(least > 0))
        return 2;
    for (int i = 0; i < PRICES; i++)
        prices[i] = i * atof(argv[2]);
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, halve, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    puts("halved");
    return 0;
}
