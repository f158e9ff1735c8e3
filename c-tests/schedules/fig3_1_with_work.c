// Bergan 3.2: figure 3.1 with a computation on the input in every thread. The computation neither changes X nor
// synchronises, so the set stays the same.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// constraint: atoi(argv[1]) == 0
// exec: 0
// exec: 12345
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 3

static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t B = PTHREAD_MUTEX_INITIALIZER;
static unsigned X;
static unsigned result[THREADS];

static unsigned mix(unsigned v, unsigned salt)
{
    for (int round = 0; round < 8; round++) {
        v ^= v << 13;
        v ^= v >> 17;
        if (v & 1)
            v += salt;
        v ^= v << 5;
    }
    return v;
}

static void *worker(void *arg)
{
    int id = *(int *)arg;
    pthread_mutex_t *lock = X == 0 ? &A : &B;
    unsigned mixed = mix(X + (unsigned)id, 77u * (unsigned)id);
    if (mixed > 1000)
        mixed /= 3;
    pthread_mutex_lock(lock);
    result[id] = mixed;
    pthread_mutex_unlock(lock);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    int id[THREADS];
    if (argc < 2)
        return 2;
    X = (unsigned)atoi(argv[1]);
    for (int i = 0; i < THREADS; i++) {
        id[i] = i;
        pthread_create(&t[i], NULL, worker, &id[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < THREADS; i++)
        printf("%u\n", result[i]);
    return 0;
}
