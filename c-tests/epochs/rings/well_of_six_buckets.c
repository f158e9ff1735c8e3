// Who lowers buckets into a well of six, and who drinks from it, move on by comparing: `if (++last == SIZE) last = 0;`. Each bucket
// stands on a shelf with a lock of its own. Whichever way the comparison goes, the index stays in the ring: it is no branch, at -O0
// either, and of no schedule a reason. (30 paths at -O0, and 37 if the comparison is a branch.)
// run: enumerate -- @
// expect: epochs=2 complete=true deadlocked=0 max_live_threads=2
// run: enumerate -- 20
// expect: complete=true deadlocked=0
// exec: 20
// stdout: 20 buckets
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE 6

struct well {
    int bucket[SIZE];
    int first, last, full;
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
};

static struct well well;
static pthread_mutex_t shelf[SIZE];
static int rounds;

static void lower(int what)
{
    pthread_mutex_lock(&well.lock);
    while (well.full == SIZE)
        pthread_cond_wait(&well.not_full, &well.lock);
    well.bucket[well.last] = what;
    if (++well.last == SIZE)
        well.last = 0;
    well.full++;
    pthread_cond_signal(&well.not_empty);
    pthread_mutex_unlock(&well.lock);
}

static void *drink(void *unused)
{
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&well.lock);
        while (well.full == 0)
            pthread_cond_wait(&well.not_empty, &well.lock);
        int at = well.first;
        if (++well.first == SIZE)
            well.first = 0;
        well.full--;
        pthread_cond_signal(&well.not_full);
        pthread_mutex_unlock(&well.lock);
        pthread_mutex_lock(&shelf[at]);
        pthread_mutex_unlock(&shelf[at]);
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    rounds = argc > 1 ? atoi(argv[1]) : 9;
    pthread_mutex_init(&well.lock, NULL);
    pthread_cond_init(&well.not_empty, NULL);
    pthread_cond_init(&well.not_full, NULL);
    for (int i = 0; i < SIZE; i++)
        pthread_mutex_init(&shelf[i], NULL);
    pthread_create(&thread, NULL, drink, NULL);
    for (int i = 0; i < rounds; i++)
        lower(i);
    pthread_join(thread, NULL);
    printf("%d buckets\n", rounds);
    return 0;
}
