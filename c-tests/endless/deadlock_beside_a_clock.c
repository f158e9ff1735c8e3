// One thread counts time for ever. For some inputs main joins a thread that waits for the lock main holds: that is a deadlock, whatever the
// clock does. For the others main ends, and the clock with it.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=1 endless=0
// constraint: argv[1][0] == 'k'
// ends: exit deadlock
// status: 1
// exec: open
// exit: 0
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static unsigned long ticks;

static void *clock_runs(void *arg)
{
    (void)arg;
    for (;;)
        ticks++;
}

static void *guest(void *arg)
{
    pthread_mutex_lock(&door);
    pthread_mutex_unlock(&door);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t clock, visitor;
    if (argc < 2)
        return 2;
    pthread_create(&clock, NULL, clock_runs, NULL);
    pthread_create(&visitor, NULL, guest, NULL);
    if (argv[1][0] == 'k')
        pthread_mutex_lock(&door);
    pthread_join(visitor, NULL);
    return 0;
}
