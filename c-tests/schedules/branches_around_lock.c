// Bergan 3.4.1.4: branches on the input before and after a lock, neither of which synchronises. One schedule; a
// compiler that duplicates the lock call must not make it two.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// exec: 0
// exec: 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int X, before, inside, after;

static void *worker(void *arg)
{
    if (X == 0)
        before++;
    pthread_mutex_lock(&lock);
    inside++;
    pthread_mutex_unlock(&lock);
    if (X == 0)
        after++;
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
    printf("%d %d %d\n", before, inside, after);
    return 0;
}
