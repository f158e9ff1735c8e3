// Three boats come and go, as often as the input says, each at a berth of its own choice among eight. The first berth has room for two
// boats, the others for one.
//
// By hand: 2 epochs with 3 schedules, no deadlock. The entry has 1. In between, all berths are free, whichever the boats have chosen; who
// does not know that, because what a berth counts is a long choice between who may have left it, finds boats that wait at berths where
// nobody is.
// run: enumerate -- @ @ @ @
// expect: complete=true epochs=2 schedules>=3 deadlocked=0
// levels: O0
// exec: 1 2 2 3
// stdout: 9 visits
// exec: 0 0 0 0
// stdout: 0 visits
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define BOATS 3
#define BERTHS 8

static sem_t berths[BERTHS];
static int visits[BOATS], wanted;

struct boat {
    int own, berth;
};

static void *sail(void *own)
{
    struct boat *boat = own;
    for (int visit = 0; visit < wanted; visit++) {
        sem_wait(&berths[boat->berth]);
        visits[boat->own]++;
        sem_post(&berths[boat->berth]);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[BOATS];
    static struct boat boats[BOATS];
    if (argc != BOATS + 2)
        return 2;
    for (int n = 0; n < BERTHS; n++)
        sem_init(&berths[n], 0, n == 0 ? 2 : 1);
    for (int n = 0; n < BOATS; n++) {
        boats[n].own = n;
        boats[n].berth = atoi(argv[n + 1]) & (BERTHS - 1);
    }
    wanted = atoi(argv[BOATS + 1]);
    for (int n = 0; n < BOATS; n++)
        pthread_create(&threads[n], NULL, sail, &boats[n]);
    int all = 0;
    for (int n = 0; n < BOATS; n++) {
        pthread_join(threads[n], NULL);
        all += visits[n];
    }
    printf("%d visits\n", all);
    return 0;
}
