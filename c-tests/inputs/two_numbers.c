// A condition over two arguments.
// run: enumerate -- @ @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// constraint: atoi(argv[1])
// constraint: atoi(argv[2])
// exec: 3 4
// exec: 7 3
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned first, second;
static int big;

static void *worker(void *arg)
{
    if (first + second >= 10) {
        pthread_mutex_lock(&lock);
        big = 1;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 3)
        return 2;
    first = (unsigned)atoi(argv[1]);
    second = (unsigned)atoi(argv[2]);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    printf("%d\n", big);
    return 0;
}
