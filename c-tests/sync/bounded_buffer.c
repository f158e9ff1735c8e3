// Producer and consumer over a buffer of two slots, with two condition variables. What is produced depends on the
// input, how much does not: one schedule.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0 max_live_threads=3
// constraint: true
// exec: 100
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SLOTS 2
#define ITEMS 5

struct buffer {
    pthread_mutex_t lock;
    pthread_cond_t not_full, not_empty;
    int slot[SLOTS];
    int head, count;
};

static struct buffer buffer = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER,
                                { 0 }, 0, 0 };
static int base, sum;

static void put(struct buffer *b, int item)
{
    pthread_mutex_lock(&b->lock);
    while (b->count == SLOTS)
        pthread_cond_wait(&b->not_full, &b->lock);
    b->slot[(b->head + b->count++) % SLOTS] = item;
    pthread_cond_signal(&b->not_empty);
    pthread_mutex_unlock(&b->lock);
}

static int get(struct buffer *b)
{
    pthread_mutex_lock(&b->lock);
    while (b->count == 0)
        pthread_cond_wait(&b->not_empty, &b->lock);
    int item = b->slot[b->head];
    b->head = (b->head + 1) % SLOTS;
    b->count--;
    pthread_cond_signal(&b->not_full);
    pthread_mutex_unlock(&b->lock);
    return item;
}

static void *producer(void *arg)
{
    for (int i = 0; i < ITEMS; i++)
        put(&buffer, base + i);
    return arg;
}

static void *consumer(void *arg)
{
    for (int i = 0; i < ITEMS; i++)
        sum = sum * 3 + get(&buffer);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t p, c;
    if (argc < 2)
        return 2;
    base = atoi(argv[1]);
    pthread_create(&c, NULL, consumer, NULL);
    pthread_create(&p, NULL, producer, NULL);
    pthread_join(p, NULL);
    pthread_join(c, NULL);
    printf("%d\n", sum);
    return 0;
}
