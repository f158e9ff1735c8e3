// A foreman hires one to three masons, as an input says, and calls out as many walls as another one says, up to three. Masons build what is called out
// until he sends them home, and he waits for each. All of it is in one structure: the handles, how many there are, an array of walls, two counters.
//
// By hand: a mason who waits is woken for each wall, and all are when they are sent home, so nobody waits for ever. The number of masons stays what it
// is, though handles are written in front of it, and the counters stand behind an array that is written at one of them: two numbers that stand side by
// side are no address, whatever they look like.
// (8 epochs at -O1. If the two numbers count as an address: 42, and at -O0 the time limit.)
// run: enumerate --without whole-runs -- @ @
// expect: complete=true deadlocked=0
// exec: 2 3
// stdout: 14
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_MASONS 3
#define MOST_WALLS 64

struct site {
    pthread_t masons[MOST_MASONS];
    int hired;
    int walls[MOST_WALLS];
    int called, built;
    int is_evening;
    pthread_mutex_t lock;
    pthread_cond_t call;
};

static int bricks[MOST_WALLS];

static void *mason(void *arg)
{
    struct site *site = arg;
    for (;;) {
        pthread_mutex_lock(&site->lock);
        while (site->built == site->called && !site->is_evening)
            pthread_cond_wait(&site->call, &site->lock);
        if (site->built == site->called) {
            pthread_mutex_unlock(&site->lock);
            return NULL;
        }
        int wall = site->built++;
        pthread_mutex_unlock(&site->lock);
        bricks[wall] = site->walls[wall] * site->walls[wall];
    }
}

static int call_out(struct site *site, int wall)
{
    int is_room = 0;
    pthread_mutex_lock(&site->lock);
    if (site->called < MOST_WALLS) {
        site->walls[site->called++] = wall;
        pthread_cond_signal(&site->call);
        is_room = 1;
    }
    pthread_mutex_unlock(&site->lock);
    return is_room;
}

int main(int argc, char **argv)
{
    static struct site site = {.lock = PTHREAD_MUTEX_INITIALIZER, .call = PTHREAD_COND_INITIALIZER};
    if (argc < 3)
        return 2;
    site.hired = atoi(argv[1]);
    int walls = atoi(argv[2]);
    if (site.hired < 1 || site.hired > MOST_MASONS || walls < 0 || walls > 3) {
        fprintf(stderr, "one to three masons, at most three walls\n");
        return 2;
    }
    for (int i = 0; i < site.hired; i++)
        pthread_create(&site.masons[i], NULL, mason, &site);
    for (int i = 1; i <= walls; i++)
        if (!call_out(&site, i))
            return 1;
    pthread_mutex_lock(&site.lock);
    site.is_evening = 1;
    pthread_cond_broadcast(&site.call);
    pthread_mutex_unlock(&site.lock);
    int sum = 0;
    for (int i = 0; i < site.hired; i++)
        pthread_join(site.masons[i], NULL);
    for (int i = 0; i < walls; i++)
        sum += bricks[i];
    printf("%d\n", sum);
    return 0;
}
