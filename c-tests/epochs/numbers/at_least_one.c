// A potter puts pots on a shelf, and main takes them off; the input says for how many there is room, at least one.
//
// By hand: 2 epochs with 3 schedules, no deadlock. The entry has 1, however much room there is. Behind it, as many pots are on the shelf as were
// put there and not taken: both go round, in the order in which there is room and there are pots, or both end. A potter who waits though
// the shelf is empty would need one without room. The number is corrected on one of two ways that synchronise the same, so that one
// path stands for both; what the ways leave is looked at one by one only because there was a deadlock.
// run: enumerate -- @ @
// expect: epochs=2 schedules>=3 complete=true deadlocked=0
// levels: O0
// exec: 0 4
// stdout: 4 pots
// exec: 2 3
// stdout: 3 pots
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t pot = PTHREAD_COND_INITIALIZER, place = PTHREAD_COND_INITIALIZER;
static int room, wanted, on_shelf, taken;

static void *make(void *unused)
{
    for (int made = 0; made < wanted; made++) {
        pthread_mutex_lock(&lock);
        while (on_shelf >= room)
            pthread_cond_wait(&place, &lock);
        on_shelf++;
        pthread_cond_signal(&pot);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    room = atoi(argv[1]);
    wanted = atoi(argv[2]);
    if (room < 1)
        room = 1;
    pthread_t potter;
    pthread_create(&potter, NULL, make, NULL);
    for (int i = 0; i < wanted; i++) {
        pthread_mutex_lock(&lock);
        while (on_shelf == 0)
            pthread_cond_wait(&pot, &lock);
        on_shelf--;
        taken++;
        pthread_cond_signal(&place);
        pthread_mutex_unlock(&lock);
    }
    pthread_join(potter, NULL);
    printf("%d pots\n", taken);
    return 0;
}
