// Only the thread whose number is the input takes the lock: one schedule per thread and one for all other inputs.
// run: enumerate -- @
// expect: epochs=1 schedules=4 complete=true deadlocked=0
// exec: 0
// exec: 2
// exec: 3
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int chosen;
static int winner = -1;

static void *worker(void *arg)
{
    int id = (int)(long)arg;
    if (id == chosen) {
        pthread_mutex_lock(&lock);
        winner = id;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[3];
    if (argc < 2)
        return 2;
    chosen = atoi(argv[1]);
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", winner);
    return 0;
}
