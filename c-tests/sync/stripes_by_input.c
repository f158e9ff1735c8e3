// Two threads move a number from a bucket of a table to the one behind it, under the locks of both, the lower one first. How many
// buckets there are is an input, from two to four, and so is the key of the first thread; the second one's is the next.
//
// By hand: locks are taken in one order, and two keys that are one apart are in buckets that are one apart, or the last one and the first one. But not beside the
// end of the numbers: the largest one is a multiple of three, and so is 0 behind it. With three buckets a thread that has that key waits for itself, the first
// or the second one. All others go on, one behind the other where they share a lock, as they may anyway.
//
// run: enumerate -- @ @
// expect: epochs=1 schedules=3 complete=true deadlocked=2
// levels: O0 O1
// exec: 3 5
// stdout: 1 2 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static struct table {
    unsigned buckets;
    pthread_mutex_t lock[4];
    int held[4];
} table = {.lock = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER},
           .held = {1, 1, 1, 1}};

static void *move(void *arg)
{
    unsigned key = *(unsigned *)arg;
    unsigned from = key % table.buckets, to = (key + 1) % table.buckets;
    unsigned low = from < to ? from : to, high = from < to ? to : from;
    pthread_mutex_lock(&table.lock[low]);
    pthread_mutex_lock(&table.lock[high]);
    table.held[from]--;
    table.held[to]++;
    pthread_mutex_unlock(&table.lock[high]);
    pthread_mutex_unlock(&table.lock[low]);
    return NULL;
}

int main(int argc, char **argv)
{
    int buckets = argc > 1 ? atoi(argv[1]) : 0;
    if (buckets < 2 || buckets > 4)
        return 2;
    table.buckets = (unsigned)buckets;
    pthread_t threads[2];
    unsigned keys[2];
    for (unsigned i = 0; i < 2; i++) {
        keys[i] = (argc > 2 ? (unsigned)atoi(argv[2]) : 0) + i;
        pthread_create(&threads[i], NULL, move, &keys[i]);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < buckets; i++)
        printf(i ? " %d" : "%d", table.held[i]);
    puts("");
    return 0;
}
