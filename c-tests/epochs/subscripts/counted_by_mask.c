// Two threads count the keys that are theirs, each in a row of its own; the rows, and in front of them what says where they and a lock are,
// are one object. The keys are computed from an input.
//
// By hand: one schedule for all inputs, in which each thread takes the lock once. Nobody knows which elements of a row are counted in; but a
// subscript is a number of a few bits, as the mask says, which is known by then, so what says where the lock is is not among them.
// run: enumerate -- @
// expect: epochs=1 schedules=1 deadlocked=0 complete=true
// exec: 8
// exec: 0
// exec: 1
// exec:
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEYS = 20000 };

struct own {
    long *row;
    pthread_mutex_t *lock;
};

static unsigned keys[KEYS];
static struct own *table;
static unsigned mask, found;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void fill(unsigned seed)
{
    for (int i = 0; i < KEYS; i++) {
        seed = seed * 1103515245u + 12345u;
        keys[i] = seed >> 9;
    }
}

static void *count(void *arg)
{
    struct own *own = arg;
    long *row = own->row;
    int id = (int)(own - table);
    for (int i = id; i < KEYS; i += 2)
        row[keys[i] & mask]++;
    pthread_mutex_lock(own->lock);
    found += own->row[0] > 0;
    pthread_mutex_unlock(own->lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    if (argc < 2)
        return 2;
    mask = (1u << 8) - 1;
    table = calloc(1, 2 * sizeof *table + 2 * (mask + 1) * sizeof(long));
    if (!table)
        exit(1);
    for (int i = 0; i < 2; i++) {
        table[i].row = (long *)(table + 2) + i * (mask + 1);
        table[i].lock = &lock;
    }
    fill((unsigned)atoi(argv[1]));
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, count, &table[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%u\n", found);
    return 0;
}
