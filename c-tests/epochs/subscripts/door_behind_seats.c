// A hall that main makes: a door, open from the beginning, behind two tables of seats. Which seats are sold depends on the input.
//
// By hand: two schedules, the light is switched on or not, and no deadlock. The loop that sells seats writes to one of the tables, and
// nowhere else, though nobody knows what it leaves there: the door stays open.
// levels: O0 O1
// run: enumerate -- @
// expect: complete=true schedules=2 deadlocked=0
// exec: 4
// stdout: open
// exec: 127
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
    int seats = SEATS;
#ifdef SEATS_ARE_INPUT
    seats = argc > 2 ? atoi(argv[2]) : SEATS;
#endif
    hall = malloc(sizeof *hall);
    sem_init(&hall->door, 0, 1);
    for (int i = 0; i < SEATS; i++)
        hall->price[i] = 10;
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
