// Three workers melt snow in rounds, as many as the input says: from one layer of the ground to the other one and back, with a barrier behind
// each round. Layers, number of rounds and barrier are in one structure on the heap.
//
// By hand: 2 epochs with 4 schedules, no deadlock: nobody goes home before the others. The layer that a round writes to is `(round + 1) % 2`,
// which is never -1: that would be in front of the layers, where the number of rounds is.
// run: enumerate -- @
// expect: complete=true epochs=2 schedules>=4 deadlocked=0
// exec: 3
// stdout: 1.578125
// exec: 0
// stdout: 4.000000
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define WORKERS 3
#define SPOTS 12

struct ground {
    int rounds, workers;
    float snow[2][SPOTS + 2];
    pthread_barrier_t evening;
};

struct worker {
    struct ground *ground;
    int first, last;
    pthread_t thread;
};

static void *melt(void *argument)
{
    struct worker *worker = argument;
    struct ground *ground = worker->ground;
    for (int round = 0; round < ground->rounds; round++) {
        float *from = ground->snow[round % 2], *to = ground->snow[(round + 1) % 2];
        for (int spot = worker->first; spot <= worker->last; spot++)
            to[spot] = 0.5f * from[spot] + 0.125f * (from[spot - 1] + from[spot + 1]);
        pthread_barrier_wait(&ground->evening);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct worker workers[WORKERS];
    if (argc != 2)
        return 2;
    struct ground *ground = calloc(1, sizeof *ground);
    if (!ground)
        return 1;
    ground->rounds = atoi(argv[1]);
    if (ground->rounds < 0)
        return 2;
    ground->workers = WORKERS;
    for (int spot = 1; spot <= SPOTS; spot++)
        ground->snow[0][spot] = 4.0f;
    pthread_barrier_init(&ground->evening, NULL, ground->workers);
    for (int n = 0; n < WORKERS; n++) {
        workers[n].ground = ground;
        workers[n].first = 1 + n * (SPOTS / WORKERS);
        workers[n].last = (n + 1) * (SPOTS / WORKERS);
        pthread_create(&workers[n].thread, NULL, melt, &workers[n]);
    }
    for (int n = 0; n < WORKERS; n++)
        pthread_join(workers[n].thread, NULL);
    printf("%f\n", ground->snow[ground->rounds % 2][2]);
    free(ground);
    return 0;
}
