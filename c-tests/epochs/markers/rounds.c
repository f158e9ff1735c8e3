// Threads are created and joined in a loop, as often as the input says: two in each round, which take one lock.
//
// By hand, with a marker in front of the loop's condition: 2 epochs with 3 schedules, no deadlock, at most 3 threads at a time.
// (That few threads live at a time is no bound for a loop that both creates and joins.) The entry has 1, which ends at the
// marker before any thread was created. From there: another round, or the end.
// exec: 3
// stdout: 6
// exec: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    sum++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 0;
    for (int r = 0; r < rounds; r++) { //~ loop
        pthread_t t[2];
        pthread_create(&t[0], NULL, worker, NULL);
        pthread_create(&t[1], NULL, worker, NULL);
        pthread_join(t[0], NULL);
        pthread_join(t[1], NULL);
    }
    printf("%d\n", sum);
    return 0;
}
