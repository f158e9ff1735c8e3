// Returning from main runs the exit handlers, and this one locks. Zero makes main return before the worker exists: the
// handler's lock then comes first, which is no prefix of the other order, so this early return has its own schedule. The
// handler was once forgotten when main returned, and with it both its events and this schedule.
// run: enumerate --without epochs -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// constraint: atoi(argv[1]) == 0
// constraint: atoi(argv[1]) != 0
// ends: exit exit
// exec: 0
// stdout: 0 done
// exit: 3
// exec: 1
// stdout: 1 done
// exit: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void summary(void)
{
    pthread_mutex_lock(&lock);
    printf("%d done\n", done);
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    done++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2)
        return 2;
    atexit(summary);
    if (atoi(argv[1]) == 0)
        return 3;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return 0;
}
