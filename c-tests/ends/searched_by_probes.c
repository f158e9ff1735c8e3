// Whether a hash table has room for one more key, and whether a search that goes on until nothing changes gets there, nobody proves here: both
// loops are named.
// run: enumerate -- @
// expect: epochs=1 schedules>=1 complete=true deadlocked=0
// assumes: {probe} {settle}
// levels: O0
// exec: 19
// stdout: 3 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned table[SLOTS] = {[5] = 5, [6] = 22};
static int heights[4] = {3, 1, 2, 0};

static unsigned slot_of(unsigned key)
{
    unsigned at = key % SLOTS;
    while (table[at] && table[at] != key) //~ probe
        at = (at + 1) % SLOTS;
    return at;
}

static int settle(void)
{
    int changed, rounds = 0;
    do {
        changed = 0;
        for (int i = 0; i < 3; i++) //~ settle
            if (heights[i] > heights[i + 1] + 1) {
                heights[i]--;
                changed = 1;
            }
        rounds += changed;
    } while (changed);
    return rounds;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    unsigned key = (unsigned)atoi(argv[1]);
    if (key == 0)
        return 2;
    unsigned at = slot_of(key);
    heights[3] += key > 3;
    int rounds = settle();
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    printf("%u %d\n", at, rounds > 0);
    return 0;
}
