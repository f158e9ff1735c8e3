// A doorman lets guests in, one to three of them, as an input says. A guest who finds no chair leaves at once; how many chairs there are is an
// input, too. The others ring, are let in one after the other, and say when they have sat down. When all are gone, the doorman is rung up once
// more, to go home.
//
// By hand: a guest who rings is let in by the doorman, who waits for nobody else, and a guest who leaves does not ring. The handles of those who
// were not there are never written: whoever waits for a guest that has left before does not wait for the doorman.
// (18 schedules at -O0. Else 22, with a deadlock that cannot happen; at -O2 19, with three.)
// run: enumerate --without whole-runs -- @ @
// expect: complete=true deadlocked=0
// exec: 3 1
// stdout: gone
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 3

static sem_t bell, door, seated;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int chairs, taken, is_over;

static void *let_in(void *arg)
{
    for (;;) {
        sem_wait(&bell);
        pthread_mutex_lock(&lock);
        int ends = is_over;
        pthread_mutex_unlock(&lock);
        if (ends)
            return arg;
        sem_post(&door);
        sem_wait(&seated);
    }
}

static void *visit(void *arg)
{
    pthread_mutex_lock(&lock);
    int stays = taken < chairs;
    taken += stays;
    pthread_mutex_unlock(&lock);
    if (stays) {
        sem_post(&bell);
        sem_wait(&door);
        sem_post(&seated);
    }
    return arg;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    int guests = atoi(argv[1]);
    chairs = atoi(argv[2]);
    if (guests < 1 || guests > MOST)
        return 2;
    pthread_t doorman, handles[MOST];
    sem_init(&bell, 0, 0);
    sem_init(&door, 0, 0);
    sem_init(&seated, 0, 0);
    if (pthread_create(&doorman, NULL, let_in, NULL) != 0)
        abort();
    for (int i = 0; i < guests; i++)
        if (pthread_create(&handles[i], NULL, visit, NULL) != 0)
            abort();
    for (int i = 0; i < guests; i++)
        pthread_join(handles[i], NULL);
    pthread_mutex_lock(&lock);
    is_over = 1;
    pthread_mutex_unlock(&lock);
    sem_post(&bell);
    pthread_join(doorman, NULL);
    puts("gone");
    return 0;
}
