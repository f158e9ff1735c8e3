// The input is the number of threads, between 1 and 4: one schedule for each number; a bad number ends the program
// before it has synchronised and needs none.
// run: enumerate -- @
// expect: epochs=1 schedules=4 complete=true deadlocked=0 max_live_threads=5
// exec: 1
// exec: 4
// exec: 5
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int finished;

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    finished++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[4];
    int n;
    if (argc < 2)
        return 2;
    n = atoi(argv[1]);
    if (n < 1 || n > 4) {
        fprintf(stderr, "between 1 and 4 threads\n");
        return 2;
    }
    for (int i = 0; i < n; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < n; i++)
        pthread_join(t[i], NULL);
    printf("%d finished\n", finished);
    return 0;
}
