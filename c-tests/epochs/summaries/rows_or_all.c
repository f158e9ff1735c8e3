// A wall of a hundred stones: as many as the first input says are painted, then the wall is washed, and ten are painted again, or sixty
// if the second input says so. Who sees the fiftieth stone painted at last takes a lock.
//
// By hand: the fiftieth stone is painted at first, or not, and at last, or not: four schedules. How far the second painting goes is not
// decided by any stone: that it is ten where a path was shown is no reason to take the fiftieth to be clean whatever the input is.
// levels: O0
// run: enumerate -- @ @
// expect: complete=true schedules=4 deadlocked=0
// exec: 60 a
// stdout: 1 0
// exec: 10 b
// stdout: 0 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long wall[100];
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, last = PTHREAD_MUTEX_INITIALIZER;

static void paint(long stones)
{
    for (long i = 0; i < stones; i++)
        wall[i] = 1;
}

static int is_painted(pthread_mutex_t *lock)
{
    if (!wall[50])
        return 0;
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return 1;
}

static void *other(void *arg)
{
    pthread_mutex_lock(&first);
    pthread_mutex_unlock(&first);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc < 3)
        return 1;
    long stones = atoi(argv[1]);
    if (stones < 0 || stones > 100)
        return 1;
    pthread_create(&thread, NULL, other, NULL);
    paint(stones);
    int was = is_painted(&first);
    memset(wall, 0, sizeof wall);
    long again = 60;
    if (argv[2][0] == 'a')
        again = 10;
    paint(again);
    int is = is_painted(&last);
    pthread_join(thread, NULL);
    printf("%d %d\n", was, is);
    return 0;
}
