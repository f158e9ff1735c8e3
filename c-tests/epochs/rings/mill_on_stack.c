// Two farmers bring grain to a mill whose bins are in main's frame: four, filled and emptied in turn. As many sacks each as an input says,
// which is a field of the farmers' own records. The miller grinds until there is no sack, and no farmer will come any more.
//
// By hand: no deadlock. The index of the next bin is kept modulo four: so filling a bin does not reach the counters and the lock beside
// them, though they are all one local variable.
// run: enumerate -- @
// expect: complete=true deadlocked=0
// exec: 0
// stdout: 0
// exec: 4
// stdout: 12
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define BINS 4

struct mill {
    int bin[BINS];
    int full, next_in, next_out, farmers;
    pthread_mutex_t lock;
    pthread_cond_t emptied, filled;
};

struct person {
    struct mill *mill;
    int sacks, weight;
};

static void bring(struct mill *m, int sack) {
    pthread_mutex_lock(&m->lock);
    while (m->full == BINS) pthread_cond_wait(&m->emptied, &m->lock);
    m->bin[m->next_in] = sack;
    m->next_in = (m->next_in + 1) % BINS;
    m->full++;
    pthread_cond_signal(&m->filled);
    pthread_mutex_unlock(&m->lock);
}

static int take(struct mill *m, int *sack) {
    pthread_mutex_lock(&m->lock);
    while (m->full == 0 && m->farmers > 0) pthread_cond_wait(&m->filled, &m->lock);
    int is_there = m->full > 0;
    if (is_there) {
        *sack = m->bin[m->next_out];
        m->next_out = (m->next_out + 1) % BINS;
        m->full--;
        pthread_cond_signal(&m->emptied);
    }
    pthread_mutex_unlock(&m->lock);
    return is_there;
}

static void *farmer(void *of) {
    struct person *me = of;
    for (int i = 0; i < me->sacks; i++) bring(me->mill, i);
    pthread_mutex_lock(&me->mill->lock);
    me->mill->farmers--;
    pthread_cond_broadcast(&me->mill->filled);
    pthread_mutex_unlock(&me->mill->lock);
    return NULL;
}

static void *miller(void *of) {
    struct person *me = of;
    int sack;
    while (take(me->mill, &sack)) me->weight += sack;
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    struct mill mill = {.farmers = 2};
    pthread_mutex_init(&mill.lock, NULL);
    pthread_cond_init(&mill.emptied, NULL);
    pthread_cond_init(&mill.filled, NULL);
    int sacks = atoi(argv[1]);
    struct person people[3];
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) {
        people[i] = (struct person){.mill = &mill, .sacks = sacks};
        pthread_create(&threads[i], NULL, i < 2 ? farmer : miller, &people[i]);
    }
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    printf("%d\n", people[2].weight);
    return 0;
}
