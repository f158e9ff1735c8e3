// Two threads hand a number to and fro; each spins on an atomic flag of C11 until it is its turn. There is no lock at all.
//
// By hand, with one marker, in front of the inner loop's condition, which every turn of the outer loop executes, and threads
// that run in the order of their numbers: 2 epochs with 4 schedules, no deadlock. From the entry, both threads get to the
// marker, or there are no rounds and both end: 2. At the marker the flag says that it is main's turn. Main goes on, which lets
// the other one go on, and both come back or both end: 2. Who does not know the flag finds threads that spin once more.
// run: enumerate -- @
// expect: epochs=2 schedules=4 complete=true deadlocked=0
// exec: 3
// stdout: 6 after 3 rounds
// exec: 0
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int turn;
static int rounds, number;

static void pass(int me)
{
    for (int r = 0; r < rounds; r++) { //~ outer
        while (atomic_load(&turn) != me) //~ inner
            sched_yield();
        number++;
        atomic_store(&turn, !me);
    }
}

static void *worker(void *arg)
{
    pass(1);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    rounds = argc > 1 ? atoi(argv[1]) : 0;
    pthread_create(&t, NULL, worker, NULL);
    pass(0);
    pthread_join(t, NULL);
    printf("%d after %d rounds\n", number, rounds);
    return 0;
}
