// A baker fills two trays in turn, and a waiter empties them in turn. Each tray has a semaphore for being full and one for being empty.
//
// By hand: 2 epochs with 5 schedules, no deadlock. The entry has 1. Between rounds, baker and waiter are at the same tray, and all trays
// are empty. A round fills and empties the first tray or the second one, 2; or that tray is marked as the last one, and both end, 2. Who
// knows of the two counters and of the four semaphores only one by one finds a waiter at the other tray, which nobody will fill.
// run: enumerate -- @
// expect: complete=true deadlocked=0
// levels: O0 O2
// exec: 5
// stdout: 5 trays, 15 rolls
// exec: 0
// stdout: 0 trays, 0 rolls
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

struct tray {
    sem_t full, empty;
    int rolls;
};

static struct tray trays[2];
static int wanted, carried, rolls;

static void *bake(void *unused)
{
    int baked = 0;
    for (;;) {
        struct tray *tray = &trays[baked & 1];
        sem_wait(&tray->empty);
        tray->rolls = baked < wanted ? baked + 1 : -1;
        int last = tray->rolls < 0;
        sem_post(&tray->full);
        if (last)
            return unused;
        baked++;
    }
}

static void *carry(void *unused)
{
    int at = 0;
    for (;;) {
        sem_wait(&trays[at].full);
        int got = trays[at].rolls;
        sem_post(&trays[at].empty);
        if (got < 0)
            return unused;
        carried++;
        rolls += got;
        at ^= 1;
    }
}

int main(int argc, char **argv)
{
    pthread_t baker, waiter;
    if (argc != 2 || (wanted = atoi(argv[1])) < 0 || wanted > 1000)
        return 2;
    for (int n = 0; n < 2; n++) {
        sem_init(&trays[n].full, 0, 0);
        sem_init(&trays[n].empty, 0, 1);
    }
    pthread_create(&baker, NULL, bake, NULL);
    pthread_create(&waiter, NULL, carry, NULL);
    pthread_join(baker, NULL);
    pthread_join(waiter, NULL);
    printf("%d trays, %d rolls\n", carried, rolls);
    return 0;
}
