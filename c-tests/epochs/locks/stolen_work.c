// Two workers take pieces of work from the ends of their own heap, and from the other one's heap when theirs is empty. How much work
// there is is an input.
//
// By hand: no deadlock, since nobody takes a second lock. One worker may be done while the other one goes on. Optimised, both ways of
// getting something end in one piece of code, which unlocks the lock of the one heap or the other: that it is the lock that was taken
// must be seen there. (It was not: 44 schedules with 11 deadlocks that cannot happen at -O2.)
// run: enumerate --without whole-runs -- @
// expect: complete=true deadlocked=0
// exec: 5
// stdout: 10
// exec: 0
// stdout: 0
// exec: 99
// exit: 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define WORKERS 2
#define ROOM 16

struct heap {
    pthread_mutex_t lock;
    int piece[ROOM];
    int first, end;
};

static struct heap heap[WORKERS];
static long sum[WORKERS];

static int take(struct heap *own, int *piece) {
    int found = 0;
    pthread_mutex_lock(&own->lock);
    if (own->first < own->end) {
        *piece = own->piece[--own->end];
        found = 1;
    }
    pthread_mutex_unlock(&own->lock);
    return found;
}

static int steal(struct heap *other, int *piece) {
    int found = 0;
    pthread_mutex_lock(&other->lock);
    if (other->first < other->end) {
        *piece = other->piece[other->first++];
        found = 1;
    }
    pthread_mutex_unlock(&other->lock);
    return found;
}

static void *work(void *number) {
    int me = (int)(long)number, piece;
    for (;;) {
        if (!take(&heap[me], &piece)) {
            int found = 0;
            for (int i = 1; i < WORKERS && !found; i++) found = steal(&heap[(me + i) % WORKERS], &piece);
            if (!found) return NULL;
        }
        sum[me] += piece;
    }
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    int pieces = atoi(argv[1]);
    if (pieces < 0 || pieces > ROOM) return 1;
    pthread_t threads[WORKERS];
    for (int i = 0; i < WORKERS; i++) pthread_mutex_init(&heap[i].lock, NULL);
    for (int i = 0; i < pieces; i++) heap[0].piece[heap[0].end++] = i;
    for (long i = 0; i < WORKERS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < WORKERS; i++) pthread_join(threads[i], NULL);
    printf("%ld\n", sum[0] + sum[1]);
    return 0;
}
