// Two producers and two consumers share a ring of four slots on the heap, with head and tail that count on and on; each
// puts or takes as many numbers as the input says, and tells all others with a broadcast.
//
// By hand, with a marker in front of each loop's condition, and threads that run in the order of their numbers: 2 epochs with 3
// schedules, no deadlock. The entry has 1. From the markers each producer puts a number and each consumer takes one, and all
// are at their markers again, or all have done their rounds and end: 2. That the ring is empty at the markers, and that a
// store into a slot leaves its counters and the lock as they are, has to be known.
// run: enumerate -- @
// levels: O0
// expect: epochs=2 schedules=3 complete=true deadlocked=0
// exec: 3
// stdout: sum 6
// exec: 0
// stdout: sum 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SLOTS 4
#define PAIRS 2

struct ring {
    int slots[SLOTS], head, tail, filled;
    pthread_mutex_t lock;
    pthread_cond_t has_room, has_items;
};

static int rounds;

static void put(struct ring *ring, int item)
{
    pthread_mutex_lock(&ring->lock);
    while (ring->filled == SLOTS)
        pthread_cond_wait(&ring->has_room, &ring->lock);
    ring->slots[ring->tail++ % SLOTS] = item;
    ring->filled++;
    pthread_cond_broadcast(&ring->has_items);
    pthread_mutex_unlock(&ring->lock);
}

static int take(struct ring *ring)
{
    pthread_mutex_lock(&ring->lock);
    while (ring->filled == 0)
        pthread_cond_wait(&ring->has_items, &ring->lock);
    int item = ring->slots[ring->head++ % SLOTS];
    ring->filled--;
    pthread_cond_broadcast(&ring->has_room);
    pthread_mutex_unlock(&ring->lock);
    return item;
}

static void *producer(void *ring)
{
    for (int i = 0; i < rounds; i++) //~ producer
        put(ring, i);
    return NULL;
}

static void *consumer(void *ring)
{
    long sum = 0;
    for (int i = 0; i < rounds; i++) //~ consumer
        sum += take(ring);
    return (void *)sum;
}

int main(int argc, char **argv)
{
    struct ring *ring = calloc(1, sizeof *ring);
    pthread_t producers[PAIRS], consumers[PAIRS];
    long sum = 0;
    if (!ring)
        return 1;
    pthread_mutex_init(&ring->lock, NULL);
    pthread_cond_init(&ring->has_room, NULL);
    pthread_cond_init(&ring->has_items, NULL);
    rounds = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < PAIRS; i++) {
        pthread_create(&producers[i], NULL, producer, ring);
        pthread_create(&consumers[i], NULL, consumer, ring);
    }
    for (int i = 0; i < PAIRS; i++) {
        void *part;
        pthread_join(producers[i], NULL);
        pthread_join(consumers[i], &part);
        sum += (long)part;
    }
    printf("sum %ld\n", sum);
    free(ring);
    return 0;
}
