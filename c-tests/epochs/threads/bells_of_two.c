// Two ringers with a bell each wait for their own rope to be pulled; a line of the input says whose, or both.
//
// By hand: who is asked rings and says so, and main waits for nobody else. Which ringer has come to wait and which is still on the way back does not
// matter, as both may be either; but they are never the same one, so the one who is asked is there.
//
// run: enumerate -- @
// expect: complete=true deadlocked=0
// exec: abcab
// stdout: 3 3
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define RINGERS 2

struct ringer {
    sem_t pulled, rung;
    int rings;
};

static struct ringer *ringers;

static void *ring(void *arg)
{
    struct ringer *own = arg;
    for (;;) {
        sem_wait(&own->pulled);
        own->rings++;
        sem_post(&own->rung);
    }
    return NULL;
}

static void pull_all(void)
{
    for (int i = 0; i < RINGERS; i++)
        sem_post(&ringers[i].pulled);
    for (int i = 0; i < RINGERS; i++)
        sem_wait(&ringers[i].rung);
}

static void pull(int which)
{
    sem_post(&ringers[which].pulled);
    sem_wait(&ringers[which].rung);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    ringers = calloc(RINGERS, sizeof *ringers);
    if (!ringers)
        return 1;
    for (int i = 0; i < RINGERS; i++) {
        pthread_t thread;
        sem_init(&ringers[i].pulled, 0, 0);
        sem_init(&ringers[i].rung, 0, 0);
        pthread_create(&thread, NULL, ring, &ringers[i]);
    }
    for (const char *c = argv[1]; *c; c++) {
        if (*c == 'a' || *c == 'b')
            pull(*c - 'a');
        else
            pull_all();
    }
    printf("%d %d\n", ringers[0].rings, ringers[1].rings);
    return 0;
}
