// A ring of ten slots, which is no power of two, between main and a consumer; the last item is -1.
//
// By hand, as for queue_of_any_size_optimised.c, but the producer never waits for room: 2 schedules in the entry, 2 in front of an item, and
// 1 where -1 is the only item. No deadlock: the consumer does not wait for another item before it has taken -1. With -O0, where markers are
// in front of both loops' conditions, 2 epochs with 1 and 2 schedules.
// levels: O1 O2
// run: enumerate -- @
// expect: epochs=3 schedules=5 complete=true deadlocked=0
// exec: 3
// stdout: 3 items, sum 6
// exec: 25
// exec: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 10 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static int ring[SIZE], head, tail, count, items, sum;

static void put(int item)
{
    pthread_mutex_lock(&lock);
    while (count == SIZE)
        pthread_cond_wait(&not_full, &lock);
    ring[head] = item;
    head = (head + 1) % SIZE;
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
    tail = (tail + 1) % SIZE;
    count--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return item;
}

static void *consumer(void *arg)
{
    for (;;) {
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
    if (argc < 2)
        return 2;
    int wanted = atoi(argv[1]);
    pthread_create(&t, NULL, consumer, NULL);
    for (int i = 1; i <= wanted; i++)
        put(i);
    put(-1);
    pthread_join(t, NULL);
    printf("%d items, sum %d\n", items, sum);
    return 0;
}
