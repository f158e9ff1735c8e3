// A hall that main makes: two tables of seats, then a door, which is open from the beginning. How many seats are looked at is an input that
// nobody limits.
//
// By hand: two schedules, the light is switched on or not, and no deadlock. With more seats than there are, the program does what C leaves
// undefined; with others, the door stays open. (Optimised code does not say any more of what array an element is.)
// levels: O0
// run: enumerate -- @ @
// expect: complete=true schedules=2 deadlocked=0
// exec: 5 1024
// stdout: open
// exec: 127 1024
// stdout: open, with light
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

enum { SEATS = 1024 };

struct hall {
    long price[SEATS];
    long sold[SEATS];
    sem_t door;
};

static struct hall *hall;
static pthread_mutex_t light = PTHREAD_MUTEX_INITIALIZER;

static void *guest(void *arg)
{
    sem_wait(&hall->door);
    sem_post(&hall->door);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int taken = 0;
    int wishes = argc > 1 ? atoi(argv[1]) : 0;
    int seats = argc > 2 ? atoi(argv[2]) : SEATS;
    hall = malloc(sizeof *hall);
    sem_init(&hall->door, 0, 1);
    for (int i = 0; i < seats; i++)
        if (wishes >> (i & 7) & 1) {
            hall->sold[i] = 1;
            taken++;
        }
    pthread_create(&thread, NULL, guest, NULL);
    int is_lit = taken > SEATS / 2;
    if (is_lit) {
        pthread_mutex_lock(&light);
        pthread_mutex_unlock(&light);
    }
    pthread_join(thread, NULL);
    puts(is_lit ? "open, with light" : "open");
    return 0;
}
