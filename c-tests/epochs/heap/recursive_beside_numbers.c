// Recursive mutexes in structures on the heap, beside an array that is written at computed indices. Of what kind they are is known behind
// the marker: a field of the mutex that is 0 and one that is 1 are no address, and no initialiser makes a mutex robust.
//
// By hand: the marker is in front of the loop's condition, and the first epoch ends there, one schedule. In the second, both threads go on,
// or both end. No deadlock: a thread may take a recursive mutex twice.
// run: enumerate -- @
// expect: epochs=2 schedules=3 complete=true deadlocked=0
// levels: O0
// exec: 3
// stdout: 6
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct box {
    long values[4];
    pthread_mutex_t lock;
};

static struct box *boxes;
static int rounds;

static void *worker(void *arg)
{
    struct box *box = &boxes[(long)arg];
    for (int i = 0; i < rounds; i++) { //~ loop
        pthread_mutex_lock(&box->lock);
        pthread_mutex_lock(&box->lock);
        box->values[i & 3] += i;
        pthread_mutex_unlock(&box->lock);
        pthread_mutex_unlock(&box->lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 1;
    rounds = atoi(argv[1]);
    boxes = malloc(2 * sizeof *boxes);
    if (!boxes)
        return 1;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 4; k++)
            boxes[i].values[k] = 0;
        boxes[i].lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    }
    pthread_t other;
    pthread_create(&other, NULL, worker, (void *)1);
    worker(NULL);
    pthread_join(other, NULL);
    printf("%ld\n", boxes[0].values[1] + boxes[0].values[2] + boxes[1].values[1] + boxes[1].values[2]);
    return 0;
}
