// Two phases separated by a barrier; exactly one thread of each round is the serial one.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0 max_live_threads=4
// constraint: true
// exec: 10
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 3

static pthread_barrier_t barrier;
static int cell[THREADS], next[THREADS], serial[THREADS];

static void *worker(void *arg)
{
    int id = *(int *)arg;
    for (int round = 0; round < 2; round++) {
        next[id] = cell[id] + cell[(id + 1) % THREADS];
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
            serial[id]++;
        cell[id] = next[id];
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    int id[THREADS], serials = 0;
    if (argc < 2)
        return 2;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        cell[i] = atoi(argv[1]) + i;
        id[i] = i;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, &id[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        serials += serial[i];
    }
    pthread_barrier_destroy(&barrier);
    printf("%d %d %d, %d\n", cell[0], cell[1], cell[2], serials);
    return 0;
}
