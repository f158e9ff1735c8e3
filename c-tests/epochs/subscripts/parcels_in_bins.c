// Parcels go from bins to others, which have a lock each; how many are in a bin stands in front of them. From which bin, and to which, is an
// input each time; but a parcel is never where a number of parcels is, of whatever bin, nor half of it where another one is.
//
// levels: O0
// run: enumerate -- @ @
// expect: epochs=6 schedules=28 complete=true deadlocked=0
// exec: 5 3
// exec: 0 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 2
#define BINS 4
#define ROOM 8

struct parcel {
    long from, to, weight;
};

struct bin {
    int count;
    struct parcel parcels[ROOM];
};

static struct bin halves[2][BINS];
static struct bin *now = halves[0], *next = halves[1];

static pthread_mutex_t lock[BINS];
static pthread_barrier_t barrier;
static int rounds;

static void put(struct bin *into, const struct parcel *parcel)
{
    if (into->count == ROOM) {
        fprintf(stderr, "a bin is full\n");
        exit(1);
    }
    into->parcels[into->count++] = *parcel;
}

static void *sort(void *arg)
{
    long id = (long)arg;
    for (int round = 0; round < rounds; round++) {
        for (int bin = id * BINS / THREADS; bin < (id + 1) * BINS / THREADS; bin++)
            for (int i = 0; i < now[bin].count; i++) {
                unsigned to = now[bin].parcels[i].to % BINS;
                pthread_mutex_lock(&lock[to]); //~ bin
                put(&next[to], &now[bin].parcels[i]);
                pthread_mutex_unlock(&lock[to]);
            }
        pthread_barrier_wait(&barrier);
        if (id == 0) {
            struct bin *emptied = now;
            now = next;
            next = emptied;
            for (int bin = 0; bin < BINS; bin++)
                next[bin].count = 0;
        }
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    int parcels = atoi(argv[1]);
    rounds = atoi(argv[2]);
    for (int i = 0; i < parcels; i++)
        put(&now[i * 3 % BINS], &(struct parcel){ i, i * i, 1 });
    for (int i = 0; i < BINS; i++)
        pthread_mutex_init(&lock[i], NULL);
    pthread_barrier_init(&barrier, NULL, THREADS);
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, sort, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    long count = 0;
    for (int i = 0; i < BINS; i++)
        count += now[i].count;
    printf("%ld parcels\n", count);
    return 0;
}
