// Bergan 3.4.1.1, last sentence: with a lock taken just before the abort, the failing path has a schedule of its own.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// constraint: atoi(argv[1]) == 0
// ends: exit abort
// status: 0 1
// exec: 5
// exit: 0
// exec: 0
// exit: 134
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t B = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int X;

static void *worker(void *arg)
{
    pthread_mutex_lock(&A);
    if (X == 0) {
        pthread_mutex_lock(&log_lock);
        fprintf(stderr, "X is zero\n");
        abort();
    }
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
    return 0;
}
