// Nodes with a semaphore behind an array each, of which the input says how many numbers are in use. Loops over these go round as often as the
// input says; how often does not matter for what is synchronised, so it is no condition of a schedule.
//
// By hand: the marker is in the loop over rounds. The first epoch ends there, or with no round at the end of the program; in the second both
// go on, or both end. No deadlock: each round waits for the semaphore of node 3 once, which is 1 at first, and posts it once.
//
// Whether such a loop goes round once more is a decision, and of what its other side may write points-to analysis says only that it is some
// number in the nodes. What a replaced loop may write is known better: the array. So it is replaced, for the semaphores' sake.
//
// run: enumerate -- @ @
// expect: epochs=2 schedules=4 complete=true deadlocked=0
// levels: O0 O1
// exec: 3 2
// stdout: 18
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64 };

struct node {
    long totals[MOST];
    sem_t ready;
};

static struct shared {
    pthread_mutex_t lock;
    long next;
    pthread_barrier_t step;
    struct node nodes[4];
} *shared;

static long rounds, columns;

static void *worker(void *arg)
{
    pthread_mutex_lock(&shared->lock);
    long me = shared->next++;
    pthread_mutex_unlock(&shared->lock);
    struct node *node = &shared->nodes[me], *root = &shared->nodes[3];
    for (long round = 0; round < rounds; round++) { //~ loop
        if (me == 1)
            sem_wait(&root->ready);
        for (long i = 0; i < columns; i++)
            node->totals[i] += me + 1;
        pthread_barrier_wait(&shared->step);
        if (me == 0) {
            for (long i = 0; i < columns; i++)
                root->totals[i] = node->totals[i] + shared->nodes[1].totals[i];
            sem_post(&root->ready);
        }
        pthread_barrier_wait(&shared->step);
    }
    return arg;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    rounds = atoi(argv[1]);
    columns = atoi(argv[2]);
    if (columns < 1 || columns > MOST)
        return 2;
    shared = calloc(1, sizeof *shared);
    if (!shared)
        return 1;
    pthread_mutex_init(&shared->lock, NULL);
    pthread_barrier_init(&shared->step, NULL, 2);
    for (int i = 0; i < 4; i++)
        sem_init(&shared->nodes[i].ready, 0, i == 3);
    pthread_t other;
    pthread_create(&other, NULL, worker, NULL);
    worker(NULL);
    pthread_join(other, NULL);
    long sum = 0;
    for (long i = 0; i < columns; i++)
        sum += shared->nodes[3].totals[i];
    printf("%ld\n", sum);
    return 0;
}
