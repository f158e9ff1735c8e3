// A captain hires one to three rowers, as an input says, has them row once, calls an end to it, and waits for each. How many there are and whether it is
// over stand in front of the array of their handles, which is the last member of the boat.
//
// By hand: a rower who waits is woken for the stroke or for the end, which nobody takes back, so nobody waits for ever. A subscript of an array is not
// negative, so no handle is written over what stands in front of it.
// (7 schedules. If subscripts may be negative: a false deadlock at -O0, and no end after 1,446 at -O1.)
// run: enumerate --without whole-runs -- @
// expect: complete=true deadlocked=0
// exec: 2
// stdout: 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 3

struct boat {
    pthread_mutex_t lock;
    pthread_cond_t called, rowed;
    int wanted, strokes;
    int is_over;
    int rowers;
    pthread_t handles[MOST];
};

static void *row(void *arg)
{
    struct boat *boat = arg;
    for (;;) {
        pthread_mutex_lock(&boat->lock);
        while (boat->wanted == 0 && !boat->is_over)
            pthread_cond_wait(&boat->called, &boat->lock);
        int is_wanted = boat->wanted > 0;
        if (is_wanted) {
            boat->wanted--;
            boat->strokes++;
            pthread_cond_broadcast(&boat->rowed);
        }
        pthread_mutex_unlock(&boat->lock);
        if (!is_wanted)
            return NULL;
    }
}

int main(int argc, char **argv)
{
    static struct boat boat = {.lock = PTHREAD_MUTEX_INITIALIZER,
                               .called = PTHREAD_COND_INITIALIZER,
                               .rowed = PTHREAD_COND_INITIALIZER};
    boat.rowers = argc > 1 ? atoi(argv[1]) : 1;
    if (boat.rowers < 1 || boat.rowers > MOST)
        return 2;
    for (int i = 0; i < boat.rowers; i++)
        if (pthread_create(&boat.handles[i], NULL, row, &boat) != 0)
            exit(1);
    pthread_mutex_lock(&boat.lock);
    boat.wanted = 1;
    pthread_cond_signal(&boat.called);
    while (boat.strokes == 0)
        pthread_cond_wait(&boat.rowed, &boat.lock);
    boat.is_over = 1;
    pthread_cond_broadcast(&boat.called);
    pthread_mutex_unlock(&boat.lock);
    for (int i = 0; i < boat.rowers; i++)
        pthread_join(boat.handles[i], NULL);
    printf("%ld\n", (long)boat.strokes);
    return 0;
}
