// Threads that print: the lock of the stream orders them only where the synchronisation of the C library counts.
//
// By hand: ignoring it, a thread takes part in nothing but its creation, its end and the join, so there is one schedule. Where it
// counts, a thread locks the stream if its input says so: that is decided by two inputs, and a run in which only one of the two
// prints has fewer nodes. With both, the first thread prints first.
// exec: + -
// stdout: thread 0
// run: enumerate -- @ @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// run: enumerate --without library-sync -- @ @
// expect: epochs=1 schedules=4 complete=true deadlocked=0
#include <pthread.h>
#include <stdio.h>

static int loud[2];

static void *worker(void *arg)
{
    int me = (int)(long)arg;
    if (loud[me])
        printf("thread %d\n", me);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        loud[i] = i + 1 < argc && argv[i + 1][0] == '+';
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
