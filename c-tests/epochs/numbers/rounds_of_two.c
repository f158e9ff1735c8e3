// A foreman and two masons. The foreman calls out one round after the other, as many as the input says; each mason works once a round, when
// the number of the round is another one than it has seen last, and the last of them tells the foreman that all have.
//
// There is no deadlock. That nobody waits for a round which everybody has worked in follows from how far the number of the round is from what
// each has seen, 0 or 1, together with how many have not worked yet. The number of the round itself has no bound that anybody knows.
// run: enumerate -- @
// expect: complete=true deadlocked=0
// exec: 3
// stdout: 6 stones
// exec: 0
// stdout: 0 stones
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MASONS 2

static pthread_mutex_t yard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t called = PTHREAD_COND_INITIALIZER, worked = PTHREAD_COND_INITIALIZER;
static int current, missing, over, stones;

static void *lay(void *unused)
{
    int seen = 0;
    pthread_mutex_lock(&yard);
    for (;;) {
        while (current == seen && !over)
            pthread_cond_wait(&called, &yard);
        if (over)
            break;
        seen = current;
        stones++;
        if (--missing == 0)
            pthread_cond_signal(&worked);
    }
    pthread_mutex_unlock(&yard);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t masons[MASONS];
    if (argc != 2)
        return 2;
    int rounds = atoi(argv[1]);
    for (int n = 0; n < MASONS; n++)
        pthread_create(&masons[n], NULL, lay, NULL);
    while (rounds-- > 0) {
        pthread_mutex_lock(&yard);
        missing = MASONS;
        current++;
        pthread_cond_broadcast(&called);
        while (missing > 0)
            pthread_cond_wait(&worked, &yard);
        pthread_mutex_unlock(&yard);
    }
    pthread_mutex_lock(&yard);
    over = 1;
    pthread_cond_broadcast(&called);
    pthread_mutex_unlock(&yard);
    for (int n = 0; n < MASONS; n++)
        pthread_join(masons[n], NULL);
    printf("%d stones\n", stones);
    return 0;
}
