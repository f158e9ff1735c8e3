// Two ringers wait for their letter. A conductor reads letters from an input: for 'a' and 'b' he gives that ringer a sign, and waits until it has rung; then he
// gives each a last sign, and waits for its end.
//
// By hand: a ringer has no sign when its letter comes, rings, and the conductor's wait ends; at the end each gets the sign that sends it home, so nobody waits for
// ever. Behind the first letter nobody knows which of the two threads is the one that has rung, but that the first handle is that of the thread that waits at
// the first sign, whichever it is.
// (Without columns that say which thread is which: 4 deadlocks that cannot happen at -O0, 7 at -O1.)
// run: enumerate -- @
// expect: complete=true deadlocked=0
// exec: abba
// stdout: 4
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define RINGERS 2

static sem_t sign[RINGERS], rung[RINGERS];
static int is_last[RINGERS], strokes[RINGERS];
static pthread_t ringers[RINGERS];

static void *ring(void *arg)
{
    int me = (int)(long)arg;
    for (;;) {
        sem_wait(&sign[me]);
        if (is_last[me])
            break;
        strokes[me]++;
        sem_post(&rung[me]);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    for (int i = 0; i < RINGERS; i++) {
        sem_init(&sign[i], 0, 0);
        sem_init(&rung[i], 0, 0);
        pthread_create(&ringers[i], NULL, ring, (void *)(long)i);
    }
    for (const char *letter = argv[1]; *letter && *letter != '.'; letter++) {
        if (*letter >= 'a' && *letter < 'a' + RINGERS) {
            int i = *letter - 'a';
            sem_post(&sign[i]);
            sem_wait(&rung[i]);
        }
    }
    int total = 0;
    for (int i = 0; i < RINGERS; i++) {
        is_last[i] = 1;
        sem_post(&sign[i]);
        pthread_join(ringers[i], NULL);
        total += strokes[i];
    }
    printf("%d\n", total);
    return 0;
}
