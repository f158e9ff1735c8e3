// Barriers made of a counter under a mutex with a condition variable, in one allocation with an array and a pointer. Where a thread waits
// the counter is 1, and the word in front of it 0: as one word of eight bytes at no multiple of eight they look like an address, but
// one that is far outside of any object. So the counter is known where the next epoch begins, and the last thread at the barrier knows that it is.
//
// By hand: markers are in the loop over items and in that over rounds, in front of a round. The first epoch ends with both threads in front of a round,
// or at the end of the program. From there both go on, or both end; who has items stops in front of each while the other one waits at the
// barrier. No deadlock: the counter is 1 while the first one waits, so that the second one wakes it.
// run: enumerate -- @ @
// expect: epochs=3 schedules>=8 complete=true deadlocked=0
// levels: O0 O1 O2
// exec: 0 0
// stdout: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct barrier {
    pthread_mutex_t mutex;
    pthread_cond_t all;
    unsigned arrived;
};

static struct shared {
    long *names[2];
    pthread_mutex_t lock;
    int next;
    struct barrier step;
    long totals[64];
} *shared;

static long rounds, items;

static void arrive(struct barrier *b)
{
    pthread_mutex_lock(&b->mutex);
    b->arrived++;
    if (b->arrived == 2) {
        b->arrived = 0;
        pthread_cond_broadcast(&b->all);
    } else {
        pthread_cond_wait(&b->all, &b->mutex);
    }
    pthread_mutex_unlock(&b->mutex);
}

static void *worker(void *arg)
{
    pthread_mutex_lock(&shared->lock);
    int me = shared->next++;
    pthread_mutex_unlock(&shared->lock);
    for (long round = 0; round < rounds; round++) {
        for (long item = 0; me == 1 && item < items; item++) {
            pthread_mutex_lock(&shared->lock);
            *shared->names[me] += item;
            pthread_mutex_unlock(&shared->lock);
        }
        arrive(&shared->step);
    }
    return arg;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    rounds = atoi(argv[1]);
    items = atoi(argv[2]);
    shared = calloc(1, sizeof *shared);
    if (!shared)
        return 1;
    pthread_mutex_init(&shared->lock, NULL);
    pthread_mutex_init(&shared->step.mutex, NULL);
    pthread_cond_init(&shared->step.all, NULL);
    for (int i = 0; i < 2; i++)
        shared->names[i] = &shared->totals[i];
    pthread_t other;
    pthread_create(&other, NULL, worker, NULL);
    worker(NULL);
    pthread_join(other, NULL);
    printf("%ld\n", *shared->names[0]);
    return 0;
}
