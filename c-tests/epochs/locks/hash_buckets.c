// Two threads put a number each into a hash table with a lock for each bucket; the table is on the heap.
//
// By hand: 1 epoch, no deadlock; the loop that looks through a bucket does not synchronise. There is a schedule for each
// pair of buckets: with BUCKETS of them, the square of BUCKETS, 4 or 9. (How long a bucket's list is does not matter: at most
// one number is in it.) If schedules are told apart by whether the locks are the same only, 2.
// variants: -DBUCKETS=2, -DBUCKETS=3
// exec: 4 10
// stdout: 2 numbers
// exec: 6 6
// stdout: 1 numbers
// exec: 6
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct entry {
    unsigned key;
    struct entry *next;
};

struct bucket {
    pthread_mutex_t lock;
    struct entry *first;
    int count;
};

static struct bucket *table;

static void *put(void *arg)
{
    unsigned key = *(unsigned *)arg;
    struct bucket *b = &table[key % BUCKETS];
    struct entry *fresh = malloc(sizeof *fresh);
    if (!fresh)
        exit(1);
    fresh->key = key;
    pthread_mutex_lock(&b->lock);
    const struct entry *e = b->first;
    while (e && e->key != key)
        e = e->next;
    if (!e) {
        fresh->next = b->first;
        b->first = fresh;
        b->count++;
    }
    pthread_mutex_unlock(&b->lock);
    if (e)
        free(fresh);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    if (argc < 3)
        return 2;
    unsigned first = (unsigned)atoi(argv[1]), second = (unsigned)atoi(argv[2]);
    table = calloc(BUCKETS, sizeof *table);
    if (!table)
        return 1;
    for (int i = 0; i < BUCKETS; i++)
        pthread_mutex_init(&table[i].lock, NULL);
    pthread_create(&a, NULL, put, &first);
    pthread_create(&b, NULL, put, &second);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    int count = 0;
    for (int i = 0; i < BUCKETS; i++)
        count += table[i].count;
    printf("%d numbers\n", count);
    return 0;
}
