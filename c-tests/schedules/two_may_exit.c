// Main ends the process while another thread lives that may end it, too: nothing orders the two, so nothing is said
// of the status.
// run: enumerate -- @
// expect: epochs=1 complete=true deadlocked=0
// ends: exit
// exits: any
// ignore-native: which of the two exits comes first is chance
// exec:
// levels: O0 O1
#include <pthread.h>
#include <stdlib.h>

static int x;

static void *work(void *argument)
{
    if (x < 1)
        exit(5);
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t t;
    x = argc > 1 ? atoi(argv[1]) : 1;
    pthread_create(&t, NULL, work, NULL);
    exit(4);
}
