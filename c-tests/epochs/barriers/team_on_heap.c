// A team of threads works in rounds that a barrier divides. All that they share is one object on the heap: the barrier, how many
// they are, how many rounds there are, and what each has done.
//
// By hand, with a marker at the barrier: 2 epochs with 4 schedules, no deadlock. The entry has 2: there is a round or there is none.
// From the barrier all threads come back to it, or all end: 2. Nothing but the round that each is in decides it, and all are in the
// same one.
//
// The loops that create and join the team read how many there are from the heap. Who takes a share that a thread writes for that
// number cannot say how often they go round. But nobody writes it while they do: it would be a data race.
// variants: -DPLACE=0, -DPLACE=1
// run: enumerate -- @
// expect: epochs=2 schedules=4 complete=true deadlocked=0
// exec: 3
// stdout: 9 shares in 3 rounds
// exec: 0
// stdout: 0 shares in 0 rounds
// exec:
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct team {
    pthread_barrier_t barrier;
#if PLACE == 0
    int size, rounds;
#endif
    int shares[4];
#if PLACE == 1
    int size, rounds;
#endif
};

struct member {
    struct team *team;
    int rank;
    pthread_t thread;
};

static void *work(void *arg)
{
    struct member *me = arg;
    struct team *team = me->team;
    for (int round = 0; round < team->rounds; round++) {
        team->shares[me->rank]++;
        pthread_barrier_wait(&team->barrier); //~ marker
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct member members[3];
    if (argc != 2)
        return 2;
    struct team *team = calloc(1, sizeof *team);
    if (!team)
        return 1;
    team->size = 3;
    team->rounds = atoi(argv[1]);
    pthread_barrier_init(&team->barrier, NULL, team->size);
    for (int i = 0; i < team->size; i++) {
        members[i].team = team;
        members[i].rank = i;
        pthread_create(&members[i].thread, NULL, work, &members[i]);
    }
    for (int i = 0; i < team->size; i++)
        pthread_join(members[i].thread, NULL);
    printf("%d shares in %d rounds\n", team->shares[0] + team->shares[1] + team->shares[2], team->rounds);
    free(team);
    return 0;
}
