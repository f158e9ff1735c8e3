// A queue on the heap with as many slots as an input says, two consumers, and an item of -1 for each of them.
//
// No deadlock: main puts in as many items of -1 as there are consumers, behind all others, and each consumer takes one and ends. When main
// waits for them, the last items are -1, as many as consumers live; a consumer that takes another one would have come around the ring.
// By hand only that: there are 6 epochs, by where the three threads are. How far the indices are apart is known whether they begin anew by
// a division or by a comparison; and of the size and the first index, which are behind each other, though both are computed.
// levels: O1
// variants: -DWRAPS=0, -DWRAPS=1
// run: enumerate -- @ @
// expect: epochs=6 schedules>=14 complete=true deadlocked=0
// exec: 2 5
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#if WRAPS
#define NEXT(index, size) ((index) == (size) ? 0 : (index))
#else
#define NEXT(index, size) ((index) % (size))
#endif

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
    int size, head, tail, count;
    int *ring;
};

static void put(struct queue *q, int item)
{
    pthread_mutex_lock(&q->lock);
    while (q->count == q->size)
        pthread_cond_wait(&q->not_full, &q->lock);
    q->ring[q->head] = item;
    q->head = NEXT(q->head + 1, q->size);
    q->count++;
    pthread_cond_signal(&q->not_empty);
    pthread_mutex_unlock(&q->lock);
}
static int take(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    while (q->count == 0)
        pthread_cond_wait(&q->not_empty, &q->lock);
    int item = q->ring[q->tail];
    q->tail = NEXT(q->tail + 1, q->size);
    q->count--;
    pthread_cond_signal(&q->not_full);
    pthread_mutex_unlock(&q->lock);
    return item;
}
static void *consumer(void *arg)
{
    struct queue *q = arg;
    while (take(q) >= 0)
        ;
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t[2];
    if (argc < 3)
        return 2;
    struct queue *q = malloc(sizeof *q);
    if (!q) return 1;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->not_empty, NULL);
    pthread_cond_init(&q->not_full, NULL);
    q->head = q->tail = q->count = 0;
    q->size = atoi(argv[1]);
    int wanted = atoi(argv[2]);
    if (q->size < 1 || q->size > 1000)
        return 2;
    q->ring = calloc(q->size, sizeof *q->ring);
    if (!q->ring)
        return 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, consumer, q);
    for (int i = 1; i <= wanted; i++)
        put(q, i);
    for (int i = 0; i < 2; i++)
        put(q, -1);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
