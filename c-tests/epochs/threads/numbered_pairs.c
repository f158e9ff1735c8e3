// Four threads, main among them, take a number each from a counter. In each round, threads with an odd number wait for the one before
// them, which first goes round a loop of its own with a lock. The main thread is where no other one is; of the other three, two wait
// while one goes round, and then all are at the same place again: there the pairs are only known if it is known which number each has.
//
// By hand, at -O0: 3 epochs with 6 schedules, no deadlock, at most 4 threads at a time. At the entry there are no rounds, or some; then all
// are behind the condition of the rounds, and from there two wait, whatever the input is. The two others go round their loops in step: once
// more, or all go on to the next round, or all end. (With optimisation the first condition of the inner loop is decided before the others.)
// run: enumerate -- @ @
// expect: epochs=3 complete=true deadlocked=0
// exec: 2 3
// stdout: 12
// exec: 0 1
// stdout: 0
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t ready[THREADS];
static int next_number, rounds, work, sum;

static void *take_part(void *unused)
{
    pthread_mutex_lock(&lock);
    int me = next_number++;
    pthread_mutex_unlock(&lock);
    for (int r = 0; r < rounds; r++) { //~ rounds
        pthread_barrier_wait(&barrier);
        if (me % 2 == 1) {
            sem_wait(&ready[me - 1]); //~ wait
            continue;
        }
        for (int i = 0; i < work; i++) { //~ work
            pthread_mutex_lock(&lock);
            sum++;
            pthread_mutex_unlock(&lock);
        }
        sem_post(&ready[me]);
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    if (argc < 3)
        return 2;
    rounds = atoi(argv[1]);
    work = atoi(argv[2]);
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        sem_init(&ready[i], 0, 0);
    for (int i = 1; i < THREADS; i++)
        pthread_create(&t[i], NULL, take_part, NULL);
    take_part(NULL);
    for (int i = 1; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", sum);
    return 0;
}
