// Log lines that depend on the input are no synchronisation: they neither make schedules nor tell two apart.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// constraint: true
// exec: 150
// exec: 15
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int level, total;

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    if (level > 100)
        printf("worker: high level %d\n", level);
    else if (level > 10)
        printf("worker: level %d of %s\n", level, "10 to 100");
    total += level;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    if (argc < 2)
        return 2;
    level = atoi(argv[1]);
    printf("main: started with %s\n", argv[1]);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    if (total)
        printf("total %d\n", total);
    return 0;
}
