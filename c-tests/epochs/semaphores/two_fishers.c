// Two fishers fill a crate with two places, and a cook empties it. How many fish each catches is an input that is cut to what the day allows; the cook
// wants as many as both together.
//
// By hand: semaphores count the places and the fish. What the fishers are still to catch, and what is in the crate, is what the cook still wants, so
// nobody waits for ever. A cut number is one number, whichever way it was cut.
//
// run: enumerate --without whole-runs -- @ @
// expect: complete=true deadlocked=0
// exec: 3 1
// stdout: 400
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define PLACES 2

static int crate[PLACES];
static int put_at, take_at;
static sem_t places, fish;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct fisher {
    int weight, catch;
};

static void *catch_all(void *arg)
{
    struct fisher *fisher = arg;
    for (int i = 0; i < fisher->catch; i++) {
        sem_wait(&places);
        pthread_mutex_lock(&lock);
        crate[put_at] = fisher->weight;
        put_at = (put_at + 1) % PLACES;
        pthread_mutex_unlock(&lock);
        sem_post(&fish);
    }
    return NULL;
}

static long cooked;

static void *cook(void *arg)
{
    for (int wanted = *(int *)arg; wanted > 0; wanted--) {
        sem_wait(&fish);
        pthread_mutex_lock(&lock);
        cooked += crate[take_at];
        take_at = (take_at + 1) % PLACES;
        pthread_mutex_unlock(&lock);
        sem_post(&places);
    }
    return NULL;
}

static int cut(int number, int least, int most)
{
    return number < least ? least : number > most ? most : number;
}

int main(int argc, char **argv)
{
    struct fisher first = {100, 1}, second = {100, 1};
    pthread_t kitchen, boat, pier;
    if (argc > 1)
        first.catch = cut(atoi(argv[1]), 0, 3);
    if (argc > 2)
        second.catch = cut(atoi(argv[2]), 0, 3);
    int wanted = first.catch + second.catch;
    sem_init(&places, 0, PLACES);
    sem_init(&fish, 0, 0);
    pthread_create(&kitchen, NULL, cook, &wanted);
    pthread_create(&boat, NULL, catch_all, &first);
    pthread_create(&pier, NULL, catch_all, &second);
    pthread_join(boat, NULL);
    pthread_join(pier, NULL);
    pthread_join(kitchen, NULL);
    printf("%ld\n", cooked);
    return 0;
}
