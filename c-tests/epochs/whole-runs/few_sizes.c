// Digs a row of beds, which is halved until a part is one bed: two levels deep the first half is another gardener's. An input says how many
// beds there are, and there are at most six.
//
// By hand: no deadlock. Inputs decide how deep it goes, but in few ways: a schedule for each number of beds from two on, with which one bed,
// and no row at all, begin. They are searched to their ends, in one epoch. (Folded they were 612 schedules after half a minute, without
// an end.)
// run: enumerate -- @
// expect: epochs=1 schedules=5 complete=true deadlocked=0
// exec: 6
// stdout: 6 beds, 5 cuts
// exec: 1
// stdout: 1 beds, 0 cuts
// exec: 7
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 6, LEVELS = 2 };

struct part {
    int first, end, level;
};

static pthread_mutex_t ledger = PTHREAD_MUTEX_INITIALIZER;
static int dug[MOST], cuts;

static void note_cut(void) {
    pthread_mutex_lock(&ledger);
    cuts++;
    pthread_mutex_unlock(&ledger);
}

static void *dig(void *argument) {
    const struct part *part = argument;
    if (part->end - part->first == 1) {
        dug[part->first] = 1;
        return NULL;
    }
    int middle = part->first + (part->end - part->first) / 2;
    struct part halves[] = {{part->first, middle, part->level + 1}, {middle, part->end, part->level + 1}};
    if (part->level < LEVELS) {
        pthread_t other;
        pthread_create(&other, NULL, dig, &halves[0]);
        dig(&halves[1]);
        pthread_join(other, NULL);
    } else {
        dig(&halves[0]);
        dig(&halves[1]);
    }
    note_cut();
    return NULL;
}

int main(int argc, char **argv) {
    int beds = argc > 1 ? atoi(argv[1]) : 4;
    if (beds < 1 || beds > MOST) return 2;
    struct part all = {0, beds, 0};
    dig(&all);
    int count = 0;
    for (int i = 0; i < MOST; i++) count += dug[i];
    printf("%d beds, %d cuts\n", count, cuts);
    return 0;
}
