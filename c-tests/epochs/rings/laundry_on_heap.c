// Main puts loads of washing into the four baskets of a laundry on the heap, behind those that are there; two machines take the first one.
// The machines' threads are in the same structure: since which of them is written is an index, too, points-to analysis takes pointers to be
// anywhere beside it. Where the first basket is, and how many are full, are numbers all the same.
//
// By hand: no deadlock. A machine waits only if no basket is full, main only if all are, and each tells the others.
// run: enumerate -- @
// expect: complete=true deadlocked=0
// exec: 0
// stdout: 0
// exec: 4
// stdout: 10
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { BASKETS = 4, MACHINES = 2 };

struct laundry {
    pthread_mutex_t door;
    pthread_cond_t filled, emptied;
    int basket[BASKETS];
    int first, full, is_closing;
    pthread_t machine[MACHINES];
};

static pthread_mutex_t meter = PTHREAD_MUTEX_INITIALIZER;
static int washed;

static void wash(int load) {
    pthread_mutex_lock(&meter);
    washed += load;
    pthread_mutex_unlock(&meter);
}

static void *work(void *arg) {
    struct laundry *l = arg;
    for (;;) {
        pthread_mutex_lock(&l->door);
        while (l->full == 0 && !l->is_closing) pthread_cond_wait(&l->filled, &l->door);
        if (l->full == 0) {
            pthread_mutex_unlock(&l->door);
            return NULL;
        }
        int load = l->basket[l->first];
        l->first = (l->first + 1) % BASKETS;
        l->full--;
        pthread_cond_signal(&l->emptied);
        pthread_mutex_unlock(&l->door);
        wash(load);
    }
}

static void bring(struct laundry *l, int load) {
    pthread_mutex_lock(&l->door);
    while (l->full == BASKETS) pthread_cond_wait(&l->emptied, &l->door);
    l->basket[(l->first + l->full) % BASKETS] = load;
    l->full++;
    pthread_cond_signal(&l->filled);
    pthread_mutex_unlock(&l->door);
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    int loads = atoi(argv[1]);
    struct laundry *l = calloc(1, sizeof *l);
    if (!l) return 3;
    pthread_mutex_init(&l->door, NULL);
    pthread_cond_init(&l->filled, NULL);
    pthread_cond_init(&l->emptied, NULL);
    for (int i = 0; i < MACHINES; i++) pthread_create(&l->machine[i], NULL, work, l);
    for (int i = 1; i <= loads; i++) bring(l, i);
    pthread_mutex_lock(&l->door);
    l->is_closing = 1;
    pthread_cond_broadcast(&l->filled);
    pthread_mutex_unlock(&l->door);
    for (int i = 0; i < MACHINES; i++) pthread_join(l->machine[i], NULL);
    free(l);
    printf("%d\n", washed);
    return 0;
}
