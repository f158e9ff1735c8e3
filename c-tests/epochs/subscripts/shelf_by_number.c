// Three readers look for a shelf by its number in a library on the heap, and take its lock; the library's own lock, behind all shelves,
// they hold as readers meanwhile.
//
// By hand: no deadlock. Which shelf it is, if any, an input says; that it is one of the six, and not what is behind them, is known by how
// the loop ends: an index that is cut to the last one, `i < 5 ? i : 5`. (Optimised, it was taken for the library's own lock, too: 4
// deadlocks that cannot happen, and not complete in half a minute.)
// run: enumerate -- @ @ @
// expect: epochs=1 complete=true deadlocked=0
// exec: 10 10 50
// stdout: 0 2 0 0 0 1
// exec: 7
// stdout: 0 2 0 0 0 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SHELVES 6
#define READERS 3

struct shelf {
    int number;
    pthread_mutex_t lock;
    int taken;
};

struct library {
    int count;
    struct shelf shelf[SHELVES];
    pthread_rwlock_t index;
};

static struct library *library;

static struct shelf *find(int number) {
    for (int i = 0; i < library->count; i++)
        if (library->shelf[i].number == number) return &library->shelf[i];
    return NULL;
}

static void *read_book(void *number) {
    pthread_rwlock_rdlock(&library->index);
    struct shelf *shelf = find(*(int *)number);
    if (shelf) {
        pthread_mutex_lock(&shelf->lock);
        shelf->taken++;
        pthread_mutex_unlock(&shelf->lock);
    }
    pthread_rwlock_unlock(&library->index);
    return NULL;
}

int main(int argc, char **argv) {
    int numbers[READERS];
    pthread_t threads[READERS];
    library = calloc(1, sizeof *library);
    if (!library) return 1;
    pthread_rwlock_init(&library->index, NULL);
    library->count = SHELVES;
    for (int i = 0; i < SHELVES; i++) {
        library->shelf[i].number = 10 * i;
        pthread_mutex_init(&library->shelf[i].lock, NULL);
    }
    for (int i = 0; i < READERS; i++) {
        numbers[i] = i + 1 < argc ? atoi(argv[i + 1]) : 10;
        pthread_create(&threads[i], NULL, read_book, &numbers[i]);
    }
    for (int i = 0; i < READERS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < SHELVES; i++) printf(i < SHELVES - 1 ? "%d " : "%d\n", library->shelf[i].taken);
    return 0;
}
