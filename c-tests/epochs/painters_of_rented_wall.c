// Three painters go over a wall in rounds, as many spots of it as are on the heap, and each looks for itself between two barriers how thin the
// thinnest spot is. The coat that is thick enough is an input.
//
// By hand: 2 epochs with 3 schedules, no deadlock. The entry has 1. In the other one all painters meet at the barriers, and then either all
// go on or all end: they have looked at the same wall. Behind the entry the wall is an object that the path has not met before one of them
// looks, and what the look leaves is what nobody knows: the second painter has to find what the first one found.
// run: enumerate -- @
// expect: complete=true epochs=2 schedules=3 deadlocked=0
// exec: 3
// stdout: 3 rounds
// exec: 0
// stdout: 1 rounds
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define PAINTERS 3
#define SPOTS 24

static pthread_barrier_t meeting;
static double *thickness, enough;
static int rounds;

static void *paint(void *number)
{
    int own = *(int *)number;
    for (;;) {
        pthread_barrier_wait(&meeting);
        for (int spot = own; spot < SPOTS; spot += PAINTERS)
            thickness[spot] += 1.0;
        if (own == 0)
            rounds++;
        pthread_barrier_wait(&meeting);
        double thinnest = 1e9;
        for (int spot = 0; spot < SPOTS; spot++)
            if (thickness[spot] < thinnest)
                thinnest = thickness[spot];
        if (thinnest >= enough)
            break;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t painters[PAINTERS];
    int numbers[PAINTERS];
    if (argc != 2)
        return 2;
    enough = atof(argv[1]);
    thickness = calloc(SPOTS, sizeof *thickness);
    if (!thickness)
        return 1;
    pthread_barrier_init(&meeting, NULL, PAINTERS);
    for (int n = 0; n < PAINTERS; n++) {
        numbers[n] = n;
        pthread_create(&painters[n], NULL, paint, &numbers[n]);
    }
    for (int n = 0; n < PAINTERS; n++)
        pthread_join(painters[n], NULL);
    printf("%d rounds\n", rounds);
    free(thickness);
    return 0;
}
