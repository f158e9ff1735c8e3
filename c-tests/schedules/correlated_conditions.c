// Two conditions on one input: of the four combinations of locks, one cannot happen.
// run: enumerate -- @
// expect: epochs=1 schedules=3 complete=true deadlocked=0
// exec: 11
// exec: 7
// exec: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t B = PTHREAD_MUTEX_INITIALIZER;
static int x, a, b;

static void *worker(void *arg)
{
    if (x > 10) {
        pthread_mutex_lock(&A);
        a++;
        pthread_mutex_unlock(&A);
    }
    if (x > 5) {
        pthread_mutex_lock(&B);
        b++;
        pthread_mutex_unlock(&B);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2)
        return 2;
    x = atoi(argv[1]);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    printf("%d %d\n", a, b);
    return 0;
}
