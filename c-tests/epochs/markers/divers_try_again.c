// Three divers sit in a ring, with a rope between each two. Each dives as often as an input says, with both ropes beside it; a boat takes two of them at a time.
// Waits are tried again if a signal has ended them, as manuals advise.
//
// By hand: of two divers in the boat one gets both ropes, so nobody waits for ever. No signal is sent, so waits do not fail, and no loop around them goes round:
// the only epoch marker is that of the dives.
// (2 epochs. With markers in loops that try again it meets the time limit.)
// run: enumerate -- @
// expect: epochs=2 complete=true deadlocked=0
// exec: 2
// stdout: 6
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define DIVERS 3

struct boat {
    sem_t ropes[DIVERS], seats;
    int dives;
};

struct diver {
    struct boat *boat;
    int seat, dived;
    pthread_t thread;
};

static void wait_for(sem_t *s)
{
    while (sem_wait(s) == -1 && errno == EINTR)
        continue;
}

static void *dive(void *arg)
{
    struct diver *diver = arg;
    struct boat *boat = diver->boat;
    sem_t *left = &boat->ropes[diver->seat], *right = &boat->ropes[(diver->seat + 1) % DIVERS];
    while (diver->dived < boat->dives) {
        wait_for(&boat->seats);
        wait_for(left);
        wait_for(right);
        diver->dived++;
        sem_post(right);
        sem_post(left);
        sem_post(&boat->seats);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct boat *boat = malloc(sizeof *boat);
    struct diver divers[DIVERS];
    if (!boat)
        return 1;
    boat->dives = argc > 1 ? atoi(argv[1]) : 2;
    for (int i = 0; i < DIVERS; i++)
        if (sem_init(&boat->ropes[i], 0, 1))
            return 1;
    if (sem_init(&boat->seats, 0, DIVERS - 1))
        return 1;
    for (int i = 0; i < DIVERS; i++) {
        divers[i] = (struct diver){.boat = boat, .seat = i};
        if (pthread_create(&divers[i].thread, NULL, dive, &divers[i]))
            exit(1);
    }
    int sum = 0;
    for (int i = 0; i < DIVERS; i++) {
        pthread_join(divers[i].thread, NULL);
        sum += divers[i].dived;
    }
    printf("%d\n", sum);
    free(boat);
    return 0;
}
