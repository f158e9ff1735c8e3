// Two threads meet at a barrier twice in each round, as often as an input says; one of them takes locks in between, as another input says.
//
// By hand: 3 epochs, no deadlock. From the barrier's round, which the one who waits there has read, it follows that the other one
// wakes it up. The epoch between the two barriers has several successors, so what is known there gets weaker several times before the
// round is no constant any more: it is still equal to what the one who waits has read.
// run: enumerate -- @ @
// expect: epochs=3 complete=true deadlocked=0
// exec: 2 5
// exec: 3 1023
// exec: 0 0
// exec: 1
// exit: 2
#include <pthread.h>
#include <stdlib.h>

static long rounds;
static unsigned long chosen;
static pthread_barrier_t step;
static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *worker(void *arg)
{
    for (long r = 0; r < rounds; r++) {
        pthread_barrier_wait(&step);
        if (arg) {
#pragma clang loop unroll(disable)
            for (int bit = 0; bit < 10; bit++)
                if (chosen >> bit & 1) {
                    pthread_mutex_lock(&lock[bit & 1]);
                    pthread_mutex_unlock(&lock[bit & 1]);
                }
        }
        pthread_barrier_wait(&step);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 3)
        return 2;
    rounds = atoi(argv[1]);
    chosen = atoi(argv[2]);
    pthread_barrier_init(&step, NULL, 2);
    pthread_create(&t, NULL, worker, NULL);
    worker(&t);
    pthread_join(t, NULL);
    return 0;
}
