// Three painters go over a wall in rounds. Between two barriers each looks for itself whether there is a dry spot left, and if so all do
// another round; nobody keeps the answer for the others.
//
// By hand: 2 epochs with 3 schedules, no deadlock. The entry has 1. In the other one all painters meet at the barriers, and then either all
// go on or all end: they have looked at the same wall. The loop that looks is replaced, for inputs decide at which spot it ends, if spots
// are many; who takes what it finds for another answer each time finds painters that wait at a barrier for others that have gone home.
// A rented wall is on the heap: behind the entry no path may have met it before the first one looks, and the second one has to find the same.
// variants: -DOWN, -DRENTED
// run: enumerate -- @
// expect: complete=true epochs=2 schedules>=3 deadlocked=0
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
#ifdef RENTED
static double *thickness;
#else
static double thickness[SPOTS];
#endif
static double enough;
static int rounds;

static void *paint(void *number)
{
    int own = *(int *)number;
    for (int again = 1; again;) {
        pthread_barrier_wait(&meeting);
        for (int spot = own; spot < SPOTS; spot += PAINTERS)
            thickness[spot] += 1.0;
        if (own == 0)
            rounds++;
        pthread_barrier_wait(&meeting);
        again = 0;
        for (int spot = 0; spot < SPOTS; spot++)
            if (thickness[spot] < enough)
                again = 1;
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
#ifdef RENTED
    thickness = calloc(SPOTS, sizeof *thickness);
    if (!thickness)
        return 1;
#endif
    pthread_barrier_init(&meeting, NULL, PAINTERS);
    for (int n = 0; n < PAINTERS; n++) {
        numbers[n] = n;
        pthread_create(&painters[n], NULL, paint, &numbers[n]);
    }
    for (int n = 0; n < PAINTERS; n++)
        pthread_join(painters[n], NULL);
    printf("%d rounds\n", rounds);
    return 0;
}
