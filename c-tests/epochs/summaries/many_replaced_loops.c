// Many loops that are replaced, each of which writes an array of its own in one allocation, and a semaphore behind each array. What a replaced
// loop writes is known, and so it is known of each semaphore that no loop has written it, however many there were: reads at constant offsets
// pass over writes elsewhere.
//
// By hand: the marker is in the loop over rounds. The first epoch ends there, or with no round at the end of the program; in the second
// all threads go on, or all end. No deadlock: in each round every thread posts the semaphore that the next one waits for.
// run: enumerate -- @
// expect: epochs=2 schedules=4 complete=true deadlocked=0
// levels: O0
// exec: 0
// stdout: 0
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 5
#define LENGTH 2000

struct node {
    long totals[LENGTH];
    sem_t ready;
};

static struct shared {
    pthread_mutex_t lock;
    pthread_barrier_t step;
    long next;
    struct node nodes[THREADS];
} *shared;

static long rounds;

static void *worker(void *arg)
{
    pthread_mutex_lock(&shared->lock);
    long me = shared->next++;
    pthread_mutex_unlock(&shared->lock);
    struct node *mine = &shared->nodes[me];
    for (long round = 0; round < rounds; round++) {
        for (long i = 0; i < LENGTH; i++)
            mine->totals[i] += i + round;
        for (long i = 0; i < LENGTH; i++)
            mine->totals[i] ^= mine->totals[LENGTH - 1 - i];
        pthread_barrier_wait(&shared->step);
        sem_post(&shared->nodes[(me + 1) % THREADS].ready);
        sem_wait(&mine->ready);
        pthread_barrier_wait(&shared->step);
    }
    return arg;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    rounds = atoi(argv[1]);
    shared = calloc(1, sizeof *shared);
    if (!shared)
        return 1;
    pthread_mutex_init(&shared->lock, NULL);
    pthread_barrier_init(&shared->step, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        sem_init(&shared->nodes[i].ready, 0, 0);
    pthread_t others[THREADS - 1];
    for (int i = 0; i < THREADS - 1; i++)
        pthread_create(&others[i], NULL, worker, NULL);
    worker(NULL);
    for (int i = 0; i < THREADS - 1; i++)
        pthread_join(others[i], NULL);
    printf("%ld\n", shared->nodes[0].totals[1]);
    return 0;
}
