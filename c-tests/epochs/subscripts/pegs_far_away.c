// A gardener walks from a peg that may be far in front of the bed, as an input says, to one behind it, and plants where there is earth. Whoever finds
// the last place but three planted locks the shed once more, though it is locked.
//
// By hand: he begins in front of the first place and ends behind the last one, so all are planted from the sixth on, and the second lock is never
// given. Where he walks is up to 400 KiB in front of the bed, which is in another object, but nothing is planted there.
//
// run: enumerate -- @ @
// expect: complete=true deadlocked=1
// levels: O0 O1
// exec: 1 60
// exit: 2
#include <pthread.h>
#include <stdlib.h>

#define PLACES 64

struct bed {
    int places[PLACES];
    pthread_mutex_t shed;
};

static struct bed bed = {.shed = PTHREAD_MUTEX_INITIALIZER};
static int from, to;

static void *plant(void *arg)
{
    for (int peg = from; peg < to; peg++)
        if (peg >= -5 && peg < PLACES - 5)
            bed.places[peg + 5] = 7;
    pthread_mutex_lock(&bed.shed);
    if (bed.places[PLACES - 4] == 7)
        pthread_mutex_lock(&bed.shed);
    pthread_mutex_unlock(&bed.shed);
    return arg;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    from = atoi(argv[1]);
    to = atoi(argv[2]);
    if (from < -100000 || from > 0 || to < PLACES - 4 || to > PLACES)
        return 2;
    pthread_t gardener;
    if (pthread_create(&gardener, NULL, plant, NULL) != 0)
        abort();
    pthread_join(gardener, NULL);
    return 0;
}
