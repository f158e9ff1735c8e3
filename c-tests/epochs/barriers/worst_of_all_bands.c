// Relaxation: threads bring what has changed most in their bands together under a lock, and go round again until that is little. The
// larger of two numbers is kept by `if (mine > worst) worst = mine;` - a store that only some inputs do, which nothing is decided by but
// what is left in the end.
//
// By hand, with the barrier in front of the lock as the marker: 2 epochs with 3 schedules for any number of threads. The entry has 1. Then all
// go on, or all end, as one comparison of floating-point numbers says.
// run: enumerate -- @ @
// expect: epochs=2 schedules=3 complete=true deadlocked=0
// variants: -DBANDS=2, -DBANDS=8
// exec: 0.25 3
// stdout: 11 rounds
// exec: 100 3
// stdout: 1 rounds
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define PLACES 16

struct bands {
    pthread_mutex_t lock;
    pthread_barrier_t all;
    double worst, limit;
    int rounds;
    double at[BANDS][PLACES];
};

static struct bands *bands;

static double smooth(double *at, double share)
{
    double most = 0.0;
    for (int i = 1; i < PLACES; i++) {
        double change = share * (at[i - 1] - at[i]);
        at[i] += change;
        if (fabs(change) > most)
            most = fabs(change);
    }
    return most;
}

static void *work(void *arg)
{
    double *at = arg;
    int is_first = at == bands->at[0];
    double worst;
    do {
        if (is_first) {
            bands->worst = 0.0;
            bands->rounds++;
        }
        double once = smooth(at, 0.5);
        pthread_barrier_wait(&bands->all); //~ barrier
        double twice = smooth(at, 0.25), mine = once > twice ? once : twice;
        pthread_mutex_lock(&bands->lock);
        if (mine > bands->worst)
            bands->worst = mine;
        pthread_mutex_unlock(&bands->lock);
        pthread_barrier_wait(&bands->all);
        worst = bands->worst;
        pthread_barrier_wait(&bands->all);
    } while (worst > bands->limit);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    pthread_t threads[BANDS];
    bands = calloc(1, sizeof *bands);
    if (!bands)
        return 1;
    bands->limit = atof(argv[1]);
    for (int i = 0; i < BANDS; i++)
        bands->at[i][0] = atof(argv[2]);
    pthread_mutex_init(&bands->lock, NULL);
    pthread_barrier_init(&bands->all, NULL, BANDS);
    for (int i = 0; i < BANDS; i++)
        pthread_create(&threads[i], NULL, work, bands->at[i]);
    for (int i = 0; i < BANDS; i++)
        pthread_join(threads[i], NULL);
    printf("%d rounds\n", bands->rounds);
    return 0;
}
