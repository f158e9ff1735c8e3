// The input chooses how many elements are copied. On the short path the copy ends before the element that the worker
// looks at; its length decides nonetheless whether the worker locks, exactly for inputs other than 0.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// constraint: atoi(argv[1]) != 0
// constraint: atoi(argv[1]) == 0
// ends: exit exit
// exec: 0
// stdout: 1 0 0, 0
// exec: 4
// stdout: 1 1 1, 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int flags[4], locked;

static void *worker(void *arg)
{
    if (flags[2]) {
        pthread_mutex_lock(&lock);
        locked = 1;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    int all[4] = { 1, 1, 1, 1 };
    size_t wanted = 1;
    if (argc < 2)
        return 2;
    if (atoi(argv[1]) != 0)
        wanted = 3;
    memcpy(flags, all, wanted * sizeof *all);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    printf("%d %d %d, %d\n", flags[0], flags[1], flags[2], locked);
    return 0;
}
