// On some inputs a thread never gets to its lock but yields for ever. That does not end the process: the other worker
// and main go on and exit. So these inputs need a schedule of their own; held to the one in which the stuck thread
// locks first, the others would wait for it for ever. An endless loop was once taken for an early exit.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// constraint: atoi(argv[1]) == 0
// constraint: atoi(argv[1]) != 0
// ends: exit exit
// exec: 0
// stdout: enough
// exit: 0
// exec: 1
// stdout: enough
// exit: 0
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t running;
static int stuck, steps;

static void step(void)
{
    pthread_mutex_lock(&lock);
    steps++;
    pthread_mutex_unlock(&lock);
}

static void *sometimes_stuck(void *arg)
{
    sem_post(&running);
    if (stuck)
        for (;;)
            sched_yield();
    step();
    return arg;
}

static void *worker(void *arg)
{
    step();
    sem_post(&running);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    if (argc < 2)
        return 2;
    stuck = atoi(argv[1]) != 0;
    sem_init(&running, 0, 0);
    pthread_create(&a, NULL, sometimes_stuck, NULL);
    pthread_create(&b, NULL, worker, NULL);
    sem_wait(&running);
    sem_wait(&running);
    step();
    puts("enough");
    return 0;
}
