// Each thread has its own copy of a thread-local variable, initialised as written.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// exec: 3
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local int counter = 100;
static _Thread_local char name[8] = "nobody";
static int step;

static void bump(int times)
{
    for (int i = 0; i < times; i++)
        counter += step;
}

static void *worker(void *arg)
{
    int id = *(int *)arg;
    bump(id);
    name[0] = (char)('A' + id);
    *(int *)arg = counter + name[0];
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[3];
    int arg[3];
    if (argc < 2)
        return 2;
    step = atoi(argv[1]);
    for (int i = 0; i < 3; i++) {
        arg[i] = i + 1;
        pthread_create(&t[i], NULL, worker, &arg[i]);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d %d %d, main %d %s\n", arg[0], arg[1], arg[2], counter, name);
    return 0;
}
