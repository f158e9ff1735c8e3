// For inputs up to 3 the worker writes through a null pointer before it synchronises. The run that shows the error ends
// there; that says nothing about the other inputs, which lock and exit. The end by an error once counted for every
// input, so the schedule of the others was missing. The status says that an error was found. Points-to analysis finds that
// it does not matter to the synchronisation where `target` points, and then one path is enough.
// run: enumerate --without pointsto,epochs -- @
// expect: epochs=1 complete=true deadlocked=0
// status: 1
// exec: 4
// stdout: 7
// exec: 3
// error: null-pointer
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;
static int *volatile target; // volatile: an optimiser may take what is written through for not null

static void *worker(void *arg)
{
    *target = 7; //~ null-pointer
    pthread_mutex_lock(&lock);
    printf("%d\n", value);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2)
        return 2;
    if (atoi(argv[1]) > 3)
        target = &value;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return 0;
}
