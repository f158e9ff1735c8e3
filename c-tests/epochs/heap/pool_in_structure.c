// A pool: handles of threads, how many there are, and three counters, in one structure. The input says how many workers there are, and how many
// jobs. Main waits for each worker once it has said that no more jobs come.
//
// By hand: no deadlock. A worker waits only where no job is left and main has not closed yet, and main wakes all when it closes.
//
// Handles are stored at an index, so that points-to analysis takes each word of the structure for one that may hold a handle. The counters are two
// in each word, and with one worker and one job they are what an address would be, of another object: of which no pointer is stored there.
//
// run: enumerate --without whole-runs -- @ @
// expect: complete=true deadlocked=0
// exec: 2 2
// stdout: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    pthread_t workers[2];
    int size, jobs, taken, closed;
    pthread_mutex_t lock;
    pthread_cond_t changed;
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static void *work(void *arg)
{
    for (;;) { //~ loop
        pthread_mutex_lock(&pool.lock);
        while (pool.taken == pool.jobs && !pool.closed)
            pthread_cond_wait(&pool.changed, &pool.lock);
        if (pool.taken == pool.jobs) {
            pthread_mutex_unlock(&pool.lock);
            return arg;
        }
        pool.taken++;
        pthread_mutex_unlock(&pool.lock);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    pool.size = atoi(argv[1]);
    int jobs = atoi(argv[2]);
    if (pool.size < 1 || pool.size > 2 || jobs < 0 || jobs > 3)
        return 2;
    for (int i = 0; i < pool.size; i++)
        pthread_create(&pool.workers[i], NULL, work, NULL);
    for (int i = 0; i < jobs; i++) {
        pthread_mutex_lock(&pool.lock);
        pool.jobs++;
        pthread_cond_signal(&pool.changed);
        pthread_mutex_unlock(&pool.lock);
    }
    pthread_mutex_lock(&pool.lock);
    pool.closed = 1;
    pthread_cond_broadcast(&pool.changed);
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < pool.size; i++)
        pthread_join(pool.workers[i], NULL);
    printf("%d\n", pool.taken);
    return 0;
}
