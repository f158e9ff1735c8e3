// A thread polls a flag without synchronisation (a data race, but volatile): it goes round until main has set it, and for ever where main does not.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0 endless=1
// constraint: argv[1][0] == 's'
// ends: exit endless
// status: 1
// exec: s
// exit: 0
#include <pthread.h>

static volatile int stop;
static unsigned long spins;

static void *poller(void *arg)
{
    while (!stop)
        spins++;
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2)
        return 2;
    pthread_create(&t, NULL, poller, NULL);
    if (argv[1][0] == 's')
        stop = 1;
    pthread_join(t, NULL);
    return 0;
}
