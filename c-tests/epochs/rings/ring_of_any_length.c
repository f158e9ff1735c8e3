// A bounded queue with condition variables in one variable, of as many places as an input says. What is put behind the last number in the ring is in the
// ring, and not in its head or count, at any level of optimisation, and also if the ring is the last member: nothing goes on
// behind a variable.
//
// Usage: ring_of_any_length NUMBERS PLACES
//
// variants: -DLAST=0, -DLAST=1
// run: enumerate -- @ @
// expect: deadlocked=0 complete=true max_live_threads=2
// exec: 20 3
// stdout: 20 numbers, 190
// exec: 20 9
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 8

static struct {
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
#if !LAST
    int ring[MOST];
#endif
    int head, count, places, is_closed;
#if LAST
    int ring[MOST];
#endif
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER, .emptied = PTHREAD_COND_INITIALIZER };

static long taken, sum;

static void put(int number) {
    pthread_mutex_lock(&queue.lock);
    while (queue.count == queue.places) pthread_cond_wait(&queue.emptied, &queue.lock);
    queue.ring[(queue.head + queue.count) % queue.places] = number;
    queue.count++;
    pthread_cond_signal(&queue.filled);
    pthread_mutex_unlock(&queue.lock);
}

static void *take(void *arg) {
    for (;;) {
        pthread_mutex_lock(&queue.lock);
        while (queue.count == 0 && !queue.is_closed) pthread_cond_wait(&queue.filled, &queue.lock);
        if (queue.count == 0) {
            pthread_mutex_unlock(&queue.lock);
            return arg;
        }
        sum += queue.ring[queue.head];
        queue.head = (queue.head + 1) % queue.places;
        queue.count--;
        taken++;
        pthread_cond_signal(&queue.emptied);
        pthread_mutex_unlock(&queue.lock);
    }
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    int numbers = atoi(argv[1]);
    queue.places = atoi(argv[2]);
    if (queue.places < 1 || queue.places > MOST) return 2;
    pthread_t taker;
    pthread_create(&taker, NULL, take, NULL);
    for (int i = 0; i < numbers; i++) put(i);
    pthread_mutex_lock(&queue.lock);
    queue.is_closed = 1;
    pthread_cond_broadcast(&queue.filled);
    pthread_mutex_unlock(&queue.lock);
    pthread_join(taker, NULL);
    printf("%ld numbers, %ld\n", taken, sum);
    return 0;
}
