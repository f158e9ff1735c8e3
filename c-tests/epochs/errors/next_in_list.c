// Somebody looks for a house in a street, which is a list as long as the input says, and rings its bell. Optimised, the loop asks for the
// next house at its end, and before it begins whether there is any.
//
// There is no memory error: whoever goes round has asked.
// run: enumerate -- @ @
// expect: complete=true deadlocked=0
// status: 0
// exec: 3 2
// stdout: 1 rung
// exec: 2 9
// stdout: 0 rung
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct house {
    pthread_mutex_t bell;
    struct house *next;
    int number;
};

static struct house *street;
static int rung;

static void *visit(void *number)
{
    struct house *house = street;
    while (house && house->number != *(int *)number)
        house = house->next;
    if (!house)
        return NULL;
    pthread_mutex_lock(&house->bell);
    rung++;
    pthread_mutex_unlock(&house->bell);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t visitor;
    if (argc != 3)
        return 2;
    int houses = atoi(argv[1]), wanted = atoi(argv[2]);
    for (int number = 1; number <= houses; number++) {
        struct house *house = malloc(sizeof *house);
        if (!house)
            return 1;
        pthread_mutex_init(&house->bell, NULL);
        house->number = number;
        house->next = street;
        street = house;
    }
    pthread_create(&visitor, NULL, visit, &wanted);
    pthread_join(visitor, NULL);
    printf("%d rung\n", rung);
    return 0;
}
