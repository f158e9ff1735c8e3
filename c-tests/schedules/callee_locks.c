// The input chooses one of two callees. The one called by default does nothing, so a path that calls it once seemed not
// to depend on the choice; the other one locks.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// constraint: atoi(argv[1]) != 0
// constraint: atoi(argv[1]) == 0
// ends: exit exit
// exec: 0
// stdout: 0 lines
// exec: 4
// stdout: 1 lines
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int lines;

static void quiet(void)
{
}

static void verbose(void)
{
    pthread_mutex_lock(&log_lock);
    lines++;
    pthread_mutex_unlock(&log_lock);
}

static void (*report)(void) = quiet;

static void *worker(void *arg)
{
    report();
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2)
        return 2;
    if (atoi(argv[1]) != 0)
        report = verbose;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    printf("%d lines\n", lines);
    return 0;
}
