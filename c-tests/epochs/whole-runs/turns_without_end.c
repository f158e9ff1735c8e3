// Two threads take turns for ever, with a semaphore for each; there are no inputs.
//
// By hand: the run comes back to a state that it was in, so it has no end, and is not followed any further: epochs end where each of the two goes
// round. From the start both come to their loops, and from there to them again: two epochs with one schedule each.
// run: enumerate
// expect: epochs=2 schedules=2 complete=true deadlocked=0
// ends: epoch epoch
// ignore-native: it never ends
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t mine, yours;

static void *answer(void *unused) {
    for (;;) {
        int *turn = malloc(sizeof *turn);
        sem_wait(&yours);
        free(turn);
        sem_post(&mine);
    }
    return unused;
}

int main(void) {
    pthread_t other;
    sem_init(&mine, 0, 0);
    sem_init(&yours, 0, 0);
    pthread_create(&other, NULL, answer, NULL);
    for (;;) {
        sem_post(&yours);
        sem_wait(&mine);
    }
}
