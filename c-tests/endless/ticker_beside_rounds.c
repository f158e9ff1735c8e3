// While one thread goes round for ever, others synchronise as often as an input says: epochs begin with a thread that is in its loop.
// run: enumerate -- @
// expect: complete=true deadlocked=0 endless=0
// exec: 2
// exit: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds, done;

static void *ticker(void *arg)
{
    unsigned long *ticks = arg;
    for (;;)
        ++*ticks;
}

static void *worker(void *arg)
{
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        done++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(int argc, char **argv)
{
    static unsigned long ticks;
    pthread_t t, w;
    if (argc < 2)
        return 2;
    rounds = atoi(argv[1]);
    pthread_create(&t, NULL, ticker, &ticks);
    pthread_create(&w, NULL, worker, NULL);
    pthread_join(w, NULL);
    return 0;
}
