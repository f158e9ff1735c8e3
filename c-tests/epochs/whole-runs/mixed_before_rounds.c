// Main mixes an input twenty thousand times, which nothing depends on. Then two dancers dance three rounds, and wait for each other in each.
//
// By hand: what the mixing comes to is larger than can be reasoned about, so its loop is replaced, but no input decides how long it takes, and it is in
// front of all that synchronises. What comes then is the same whatever the input is: one epoch with one schedule.
//
// run: enumerate -- @
// expect: complete=true epochs=1 schedules=1 deadlocked=0
// exec: 4
// stdout: 526870780 6
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int rounds = 3;
static pthread_barrier_t round_end;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int steps;

static void *dance(void *arg)
{
    (void)arg;
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        steps++;
        pthread_mutex_unlock(&lock);
        pthread_barrier_wait(&round_end);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    unsigned mixed = atoi(argv[1]);
    for (int i = 0; i < 20000; i++)
        mixed = (mixed ^ mixed >> 7) * 31 + i;
    pthread_t first, second;
    pthread_barrier_init(&round_end, NULL, 2);
    if (pthread_create(&first, NULL, dance, NULL) != 0 || pthread_create(&second, NULL, dance, NULL) != 0)
        return 1;
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    printf("%u %d\n", mixed, steps);
    return 0;
}
