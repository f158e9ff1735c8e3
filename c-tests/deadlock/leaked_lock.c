// An error path forgets to unlock: on one input, the second worker waits for ever.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=1
// constraint: atoi(argv[1]) == 7
// ends: exit deadlock
// exec: 3
// exit: 0
// exec: 7
// error: deadlock
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int input, done;

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    if (input == 7)
        return NULL;
    done++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    if (argc < 2)
        return 2;
    input = atoi(argv[1]);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d done\n", done);
    return 0;
}
