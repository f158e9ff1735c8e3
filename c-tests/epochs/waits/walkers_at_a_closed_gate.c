// A keeper holds a gate closed, which is a mutex, opens it for a moment, and closes it again, as often as an input says; then it stays open. One
// to three walkers, as an input says, come to the gate, and main waits for one after the other.
//
// By hand: nobody waits for a walker but main, and whoever goes through leaves the gate open behind. In which order the walkers have come to
// the gate nobody says: any of them may be the next one through, the one that main waits for or another.
// (9 schedules. If the first in line is woken: 15, and runs that cannot follow them.)
// run: enumerate -- @ @
// expect: complete=true deadlocked=0
// exec: 3 4
// stdout: 3 through
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 3

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int through, times;

static void *walk(void *arg)
{
    pthread_mutex_lock(&gate);
    through++;
    pthread_mutex_unlock(&gate);
    return arg;
}

static void *keep(void *arg)
{
    pthread_mutex_lock(&gate);
    for (int i = 0; i < times; i++) {
        pthread_mutex_unlock(&gate);
        pthread_mutex_lock(&gate);
    }
    pthread_mutex_unlock(&gate);
    return arg;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    int walkers = atoi(argv[1]);
    times = atoi(argv[2]);
    if (walkers < 1 || walkers > MOST)
        return 2;
    pthread_t keeper, handles[MOST];
    if (pthread_create(&keeper, NULL, keep, NULL) != 0)
        abort();
    for (int i = 0; i < walkers; i++)
        if (pthread_create(&handles[i], NULL, walk, NULL) != 0)
            abort();
    for (int i = 0; i < walkers; i++)
        pthread_join(handles[i], NULL);
    pthread_join(keeper, NULL);
    printf("%d through\n", through);
    return 0;
}
