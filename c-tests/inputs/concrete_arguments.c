// Plain words after -- are concrete: nothing is left to choose.
// run: enumerate -- 3 left
// expect: epochs=1 schedules=1 complete=true deadlocked=0 max_live_threads=4
// constraint: true
// exec: 3 left
// stdout: 3 left
// exec: 2 right
// stdout: 2 right
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *side;
static int count;

static void *worker(void *arg)
{
    pthread_mutex_lock(side);
    count++;
    pthread_mutex_unlock(side);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[8];
    if (argc < 3)
        return 2;
    long n = strtol(argv[1], NULL, 10);
    if (n < 1 || n > 8)
        return 2;
    side = strcmp(argv[2], "left") == 0 ? &left : &right;
    for (long i = 0; i < n; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (long i = 0; i < n; i++)
        pthread_join(t[i], NULL);
    printf("%d %s\n", count, side == &left ? "left" : "right");
    return 0;
}
