// Behind the last synchronisation a small number makes main, or the function that ends the process, go round for
// ever. That is no exit. What ends the process before that is no schedule of its own, so of the loop in it it is
// assumed that it ends.
// run: enumerate -- @ @
// expect: epochs=1 complete=true deadlocked=0 endless=1
// assumes: {give_up}
// status: 1
// levels: O0
// exec: 2 7
// exit: 0
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long waited;

static void give_up(int n)
{
    while (n <= 5) //~ give_up
        waited++;
    exit(1);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    int how = atoi(argv[1]), n = atoi(argv[2]);
    if (how == 0)
        give_up(n);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    if (how == 1)
        exit(0);
    while (n <= 5)
        waited++;
    return 0;
}
