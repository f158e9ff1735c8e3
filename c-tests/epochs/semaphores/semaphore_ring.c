// Threads in a ring hand a token to their neighbours, by semaphores in an array whose indices are computed.
//
// By hand, with a marker in front of the loop's condition: 2 epochs with 3 schedules for any number of threads, no deadlock.
// The entry has 1 schedule. At the markers the first semaphore is 1 and the others are 0; all threads have made as many
// rounds, so that all of them make another one, in the order of the ring, or all of them end: 2 schedules. Who does not know
// the semaphores' values finds threads that do not wait, or deadlocks.
// variants: -DTHREADS=2, -DTHREADS=3, -DTHREADS=5
// exec: 2
// exec: 0
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static sem_t token[THREADS];
static int rounds, last, passed, out_of_order;

static void *worker(void *arg)
{
    int me = (int)(long)arg;
    for (int r = 0; r < rounds; r++) { //~ loop
        sem_wait(&token[me]);
        out_of_order += passed > 0 && me != (last + 1) % THREADS;
        last = me;
        passed++;
        sem_post(&token[(me + 1) % THREADS]);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    rounds = argc > 1 ? atoi(argv[1]) : 0;
    for (int i = 0; i < THREADS; i++)
        sem_init(&token[i], 0, i == 0);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%d times passed, %d times out of order\n", passed, out_of_order);
    return 0;
}
