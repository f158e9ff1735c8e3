// A ring that is written at both ends: what the element in front of one end holds is the same for all inputs, what is in front of the other
// end is not. The first must not stand for the second.
//
// By hand: the marker is in the loop over rounds, in front of a round. The first epoch ends there, or with no round at the end of the program. Behind it
// both values of the element in front of `back` are possible, so that the worker locks or does not, and goes on or ends.
// run: enumerate -- @ @
// expect: epochs=2 complete=true deadlocked=0
// levels: O0 O1 O2
// exec: 3 5
// stdout: 2
// exec: 3 4
// stdout: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 8, END = -1 };

static int slots[LENGTH];
static int front, back;
static int rounds, locked;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;

static void put_front(int value)
{
    slots[front] = value;
    front = (front + 1) % LENGTH;
}

static void put_back(int value)
{
    slots[back] = value;
    back = (back + 1) % LENGTH;
}

static void *worker(void *arg)
{
    for (int round = 0; round < rounds; round++) {
        pthread_mutex_lock(&lock);
        if (slots[(back + LENGTH - 1) % LENGTH] != END) {
            pthread_mutex_lock(&inner);
            locked++;
            put_back(END);
            put_back(round ? END : 1);
            pthread_mutex_unlock(&inner);
        }
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    rounds = atoi(argv[1]);
    slots[3] = 7;
    put_front(END);
    back = 1;
    if (atoi(argv[2]) == 5)
        back = 4;
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    printf("%d\n", locked);
    return 0;
}
