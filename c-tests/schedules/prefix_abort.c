// Bergan 3.4.1.1: a path that ends the process before any further synchronisation follows a prefix of the other
// schedule, so it needs none of its own.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// constraint: true
// ends: exit
// exec: 5
// stdout: both
// exit: 0
// exec: 0
// exit: 134
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t B = PTHREAD_MUTEX_INITIALIZER;
static int X;

static void *worker(void *arg)
{
    pthread_mutex_lock(&A);
    if (X == 0)
        abort();
    pthread_mutex_lock(&B);
    pthread_mutex_unlock(&B);
    pthread_mutex_unlock(&A);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2)
        return 2;
    X = atoi(argv[1]);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    puts("both");
    return 0;
}
