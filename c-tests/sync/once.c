// Whichever thread comes first initialises; the others find it done.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// constraint: true
// exec: 9
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int calls, table[4], base;

static void initialise(void)
{
    calls++;
    for (int i = 0; i < 4; i++)
        table[i] = base * i;
}

static void *worker(void *arg)
{
    int *slot = arg;
    pthread_once(&once, initialise);
    *slot = table[*slot];
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[4];
    int slot[4], sum = 0;
    if (argc < 2)
        return 2;
    base = atoi(argv[1]);
    for (int i = 0; i < 4; i++) {
        slot[i] = i;
        pthread_create(&t[i], NULL, worker, &slot[i]);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(t[i], NULL);
        sum += slot[i];
    }
    printf("%d call, %d\n", calls, sum);
    return 0;
}
