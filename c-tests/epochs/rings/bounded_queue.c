// A producer, which is main, and a consumer with a ring of as many slots as the input says; the last item is -1.
//
// By hand, with markers in front of both loops' conditions and threads that run in the order of their numbers: 2 epochs with
// 3 schedules, no deadlock. The entry has 1. At the markers the ring is empty. The producer puts an item, which the consumer
// takes; or it puts -1 and waits for the consumer, which ends: 2. Who does not know that the ring is empty finds a producer
// that waits for room, too, and an epoch in which it still does.
// exec: 1 3
// stdout: 3 items, sum 6
// exec: 4 5
// exec: 2 0
// exec: 0 1
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static int *ring, size, head, tail, count, items, sum;

static void put(int item)
{
    pthread_mutex_lock(&lock);
    while (count == size)
        pthread_cond_wait(&not_full, &lock);
    ring[head] = item;
    head = (head + 1) % size;
    count++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static int take(void)
{
    pthread_mutex_lock(&lock);
    while (count == 0)
        pthread_cond_wait(&not_empty, &lock);
    int item = ring[tail];
    tail = (tail + 1) % size;
    count--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return item;
}

static void *consumer(void *arg)
{
    for (;;) { //~ consumer
        int item = take();
        if (item < 0)
            break;
        items++;
        sum += item;
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 3)
        return 2;
    size = atoi(argv[1]);
    int wanted = atoi(argv[2]);
    if (size < 1 || size > 1000)
        return 2;
    ring = calloc(size, sizeof *ring);
    if (!ring)
        return 1;
    pthread_create(&t, NULL, consumer, NULL);
    for (int i = 1; i <= wanted; i++) //~ producer
        put(i);
    put(-1);
    pthread_join(t, NULL);
    printf("%d items, sum %d\n", items, sum);
    free(ring);
    return 0;
}
