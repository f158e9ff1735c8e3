// Two threads put keys into a small table, if there is a place left, and take the lock once more if a flag in front of the table is set.
//
// By hand: the flag is never set. How many keys there are at first is an input. If it is less than none the first key is put in front of the
// table, perhaps into the flag: that is undefined, so nothing is claimed of such an input, neither by the search, which leaves out of slices
// what subscripts that are out of range might write, nor by `verify`.
// run: enumerate -- @ @
// expect: epochs=2 complete=true deadlocked=0
// exec: 2 0
// exec: 9 3
// exec: 1
// exit: 2
#include <pthread.h>
#include <stdlib.h>

static struct {
    int flag, used, key[4];
    pthread_mutex_t lock;
} c = {.lock = PTHREAD_MUTEX_INITIALIZER};
static int rounds;

static void *work(void *arg)
{
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&c.lock);
        if (c.used < 4)
            c.key[c.used++] = i;
        pthread_mutex_unlock(&c.lock);
    }
    if (c.flag) {
        pthread_mutex_lock(&c.lock);
        pthread_mutex_unlock(&c.lock);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    if (argc < 3)
        return 2;
    rounds = atoi(argv[1]);
    c.used = atoi(argv[2]);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
