// Two inputs decide what is computed but not which synchronisation is done: one schedule, for every input.
// run: enumerate -- @ @
// expect: epochs=1 schedules=1 complete=true deadlocked=0 max_live_threads=3
// constraint: true
// exec: 17 4
// exec: -3 0
// exec: 100 100
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static long grade(long v)
{
    if (v < 0)
        return -v;
    if (v > 50)
        return 50;
    return v % 7 == 0 ? 7 : v;
}

static void *worker(void *arg)
{
    long g = grade(*(long *)arg);
    pthread_mutex_lock(&lock);
    if (g > total)
        total += g;
    else
        total += 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    long v[2];
    if (argc < 3)
        return 2;
    for (int i = 0; i < 2; i++) {
        v[i] = atoi(argv[i + 1]);
        pthread_create(&t[i], NULL, worker, &v[i]);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    puts(total > 0 ? "some" : "none");
    return 0;
}
