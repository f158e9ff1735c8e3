// main returns while it holds the lock that an exit handler wants: the process hangs in exit. Only a return with a
// positive input comes before the lock. Returning from main once counted as the end, whatever the handlers do.
// run: enumerate --without epochs -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=1
// constraint: atoi(argv[1]) > 0
// constraint: atoi(argv[1]) <= 0
// ends: exit deadlock
// exec: 1
// exit: 3
// exec: 0
// error: deadlock
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void tidy_up(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        _Exit(2);
    atexit(tidy_up);
    if (atoi(argv[1]) > 0)
        return 3;
    pthread_mutex_lock(&lock);
    return 0;
}
