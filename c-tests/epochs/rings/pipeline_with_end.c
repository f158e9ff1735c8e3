// A pipeline of two bounded queues: main hands on numbers and an end mark, a stage adds one to each, a sink adds them up until the mark comes.
//
// By hand: no deadlock. That the stage and the sink do not wait for ever follows from what is in the queues: nothing is put behind the mark, so
// that it is the last element of the ring, and whoever takes out all that was put comes to it.
// run: enumerate -- @
// expect: complete=true deadlocked=0
// exec: 3
// stdout: 6
// exec: 0
// stdout: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOM = 4, END = -1 };

struct queue {
    int slots[ROOM];
    int first, last, count;
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
};

static struct queue raw, ready;

static void prepare(struct queue *q)
{
    q->first = q->last = q->count = 0;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->filled, NULL);
    pthread_cond_init(&q->emptied, NULL);
}

static void put(struct queue *q, int number)
{
    pthread_mutex_lock(&q->lock);
    while (q->count == ROOM)
        pthread_cond_wait(&q->emptied, &q->lock);
    q->slots[q->last] = number;
    q->last = (q->last + 1) % ROOM;
    q->count++;
    pthread_cond_signal(&q->filled);
    pthread_mutex_unlock(&q->lock);
}

static int take(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    while (q->count == 0)
        pthread_cond_wait(&q->filled, &q->lock);
    int number = q->slots[q->first];
    q->first = (q->first + 1) % ROOM;
    q->count--;
    pthread_cond_signal(&q->emptied);
    pthread_mutex_unlock(&q->lock);
    return number;
}

static void *stage(void *arg)
{
    for (;;) {
        int number = take(&raw);
        if (number == END)
            break;
        put(&ready, number + 1);
    }
    put(&ready, END);
    return arg;
}

static void *sink(void *arg)
{
    for (;;) {
        int number = take(&ready);
        if (number == END)
            return arg;
        *(long *)arg += number;
    }
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    int numbers = atoi(argv[1]);
    long sum = 0;
    prepare(&raw);
    prepare(&ready);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, stage, NULL);
    pthread_create(&threads[1], NULL, sink, &sum);
    for (int i = 0; i < numbers; i++)
        put(&raw, i);
    put(&raw, END);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("%ld\n", sum);
    return 0;
}
