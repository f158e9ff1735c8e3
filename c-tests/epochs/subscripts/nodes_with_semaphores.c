// Locks in one allocation with arrays of numbers: nodes, each with a semaphore behind an array that the program
// writes at computed indices, and a mutex and a barrier in front. What these hold is known behind the marker, however large the
// allocation is, and numbers that are stored in the arrays make no mutex of another kind.
//
// By hand: the marker is in the loop over rounds. The first epoch ends there, or with no round at the end of the program (two schedules); in
// the second both go on, or both end. No deadlock: each round posts the semaphore of node 15 once and waits for it once.
//
// With 1000 numbers, the loop that adds them makes so many terms that it is replaced. What it writes is known where it begins: one array.
// variants: -DLENGTH=250, -DLENGTH=1000
// run: enumerate -- @
// expect: epochs=2 schedules=4 complete=true deadlocked=0
// levels: O0
// exec: 0
// stdout: 0
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef LENGTH
#define LENGTH 250
#endif

struct node {
    long totals[LENGTH];
    sem_t ready;
    char pad[48];
};

static struct shared {
    pthread_mutex_t lock;
    long next;
    pthread_barrier_t step;
    struct node nodes[16];
} *shared;

static long rounds;
static long *values[2];

static void *worker(void *arg)
{
    pthread_mutex_lock(&shared->lock);
    long me = shared->next++;
    pthread_mutex_unlock(&shared->lock);
    long *mine = values[me];
    for (long round = 0; round < rounds; round++) { //~ loop
        struct node *node = &shared->nodes[2 * me];
        for (long i = 0; i < LENGTH; i++)
            mine[i] = i + round;
        pthread_barrier_wait(&shared->step);
        for (long i = 0; i < LENGTH; i++)
            node->totals[i] = node->totals[i] + values[1 - me][i];
        if (me == 0) {
            sem_post(&shared->nodes[15].ready);
        } else {
            sem_wait(&shared->nodes[15].ready);
            for (long i = 0; i < LENGTH; i++)
                shared->nodes[15].totals[i] = shared->nodes[0].totals[i] + node->totals[i];
        }
        pthread_barrier_wait(&shared->step);
    }
    return arg;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    rounds = atoi(argv[1]);
    shared = malloc(sizeof *shared);
    long *memory = malloc(2 * LENGTH * sizeof *memory);
    if (!shared || !memory)
        return 1;
    pthread_mutex_init(&shared->lock, NULL);
    pthread_barrier_init(&shared->step, NULL, 2);
    shared->next = 0;
    for (int i = 0; i < 16; i++) {
        sem_init(&shared->nodes[i].ready, 0, 0);
        for (int k = 0; k < LENGTH; k++)
            shared->nodes[i].totals[k] = 0;
    }
    values[0] = memory;
    values[1] = memory + LENGTH;
    pthread_t other;
    pthread_create(&other, NULL, worker, NULL);
    worker(NULL);
    pthread_join(other, NULL);
    long sum = 0;
    for (int k = 0; k < LENGTH; k++)
        sum += shared->nodes[15].totals[k];
    printf("%ld\n", sum);
    return 0;
}
