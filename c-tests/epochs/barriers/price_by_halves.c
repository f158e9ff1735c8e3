// A price is looked for by halves: in each round, threads go through a loop with barriers of its own until a floating-point number is small,
// and then raise the lower end of the range or lower the upper one. Each thread has its own copy of both, which are the same because all
// have decided the same.
//
// By hand, with markers at the barriers of both loops: all threads are always at the same one. No deadlock.
// run: enumerate -- @ @ @
// expect: epochs=3 schedules>=9 complete=true deadlocked=0
// exec: 3 2 4
// stdout: 0 open
// exec: 1 0 9
// stdout: 0 open
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 2
#define POINTS 64

static pthread_barrier_t all;
static double cost_of[THREADS][POINTS], part_of[THREADS];
static int open, fewest, most;

static double sum_of_all(double mine, int me)
{
    static double total;
    part_of[me] = mine;
    pthread_barrier_wait(&all);
    if (me == 0) {
        total = 0;
        for (int i = 0; i < THREADS; i++)
            total += part_of[i];
    }
    pthread_barrier_wait(&all);
    return total;
}

static double improve(double price, double cost, int me)
{
    static double gained;
    double mine = 1;
    while (mine / cost > 0.01) {
        pthread_barrier_wait(&all); //~ inner
        if (me == 0) {
            gained = 0;
            for (int i = 0; i < POINTS; i++)
                gained += cost_of[0][i] * price;
            open = (int)gained % 10;
        }
        pthread_barrier_wait(&all);
        mine = gained;
        cost -= mine;
        pthread_barrier_wait(&all);
    }
    return cost;
}

static void *work(void *arg)
{
    int me = (int)(long)arg;
    double mine = 0, low = 0;
    for (int i = 0; i < POINTS; i++)
        mine += cost_of[me][i];
    double high = sum_of_all(mine, me), price = high / 2, cost = sum_of_all(mine * 2, me);
    for (;;) {
        cost = improve(price, cost, me);
        if ((open >= fewest && open <= most) || low >= 0.999 * high)
            break;
        if (open > most)
            low = price;
        else
            high = price;
        cost += ((low + high) / 2 - price) * open;
        price = (low + high) / 2;
        pthread_barrier_wait(&all); //~ outer
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        for (int j = 0; j < POINTS; j++)
            cost_of[i][j] = atof(argv[1]) + i;
    fewest = atoi(argv[2]);
    most = atoi(argv[3]);
    pthread_barrier_init(&all, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%d open\n", open);
    return 0;
}
