// Two threads move numbers on, from place to place in one structure, and put a new one into the first place. So in each round one place more
// holds a number that nobody knows, one after the other. Beside them is a limit, which is what main has read all the while: nobody
// takes the second lock.
//
// By hand: the first epoch ends with both threads at the marker of their loops. There both go round, or both end: two schedules.
//
// levels: O0
// exec: 4
// stdout: 8 rounds
// run: enumerate -- @
// expect: epochs=2 schedules=3 complete=true deadlocked=0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct latest {
    int limit;
    int numbers[24];
};

static struct latest latest;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds, total;

static void move_on(struct latest *l, int number)
{
    for (int i = 23; i > 0; i--)
        l->numbers[i] = l->numbers[i - 1];
    l->numbers[0] = number;
}

static void *walk(void *arg)
{
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        move_on(&latest, rounds);
        total++;
        pthread_mutex_unlock(&lock);
        if (latest.limit != 9) {
            pthread_mutex_lock(&lock);
            pthread_mutex_unlock(&lock);
        }
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc < 2)
        return 1;
    rounds = atoi(argv[1]);
    if (sscanf("9", "%d", &latest.limit) != 1)
        return 1;
    pthread_create(&thread, NULL, walk, NULL);
    walk(NULL);
    pthread_join(thread, NULL);
    printf("%d rounds\n", total);
    return 0;
}
