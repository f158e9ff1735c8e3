// Two presses put plates on a rack that holds four; a stacker takes as many as both have made. Semaphores count the free places and the
// plates.
//
// By hand: no deadlock. Free places, plates and those that are between the two are four, and what was taken and what lies there is what the
// presses have made: sums of what semaphores count and of loop counters, which the program itself never compares with each other.
// levels: O0
// run: enumerate -- @
// expect: complete=true deadlocked=0
// exec: 3
// stdout: 6 plates
// exec: 600
// exit: 1
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

enum { PLACES = 4 };

static sem_t places, plates;
static pthread_mutex_t rack = PTHREAD_MUTEX_INITIALIZER;
static int last, first, each;

static void *press(void *arg)
{
    for (int made = 0; made < each; made++) {
        sem_wait(&places);
        pthread_mutex_lock(&rack);
        last = (last + 1) % PLACES;
        pthread_mutex_unlock(&rack);
        sem_post(&plates);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t presses[2];
    int stacked = 0;
    each = argc > 1 ? atoi(argv[1]) : 1;
    if (each < 1 || each > 500)
        return 1;
    sem_init(&places, 0, PLACES);
    sem_init(&plates, 0, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&presses[i], NULL, press, NULL);
    while (stacked < 2 * each) {
        sem_wait(&plates);
        pthread_mutex_lock(&rack);
        first = (first + 1) % PLACES;
        pthread_mutex_unlock(&rack);
        sem_post(&places);
        stacked++;
    }
    for (int i = 0; i < 2; i++)
        pthread_join(presses[i], NULL);
    printf("%d plates\n", stacked);
    return 0;
}
