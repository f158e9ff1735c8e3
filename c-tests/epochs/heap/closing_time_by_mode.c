// A post office with two clerks. So many letters come in as the second argument says; then it closes, and whoever waits is told: all clerks,
// or one of them, by the first argument, which is read behind the letters.
//
// By hand: with `all` there is no deadlock, whatever the number of letters. The loop over the letters synchronises, so the argument is read in
// another epoch than the one that the program begins with: that it was given has to be known there, and so has what it points to.
// run: enumerate -- all @
// expect: complete=true deadlocked=0
// exec: all 3
// stdout: 3 letters
// exec: all 0
// stdout: 0 letters
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CLERKS 2

static pthread_mutex_t counter = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static int waiting, sent, closed;

static void *clerk(void *unused)
{
    pthread_mutex_lock(&counter);
    for (;;) {
        while (waiting == 0 && !closed)
            pthread_cond_wait(&news, &counter);
        if (waiting == 0)
            break;
        waiting--;
        sent++;
    }
    pthread_mutex_unlock(&counter);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t clerks[CLERKS];
    if (argc != 3)
        return 2;
    int letters = atoi(argv[2]);
    for (int n = 0; n < CLERKS; n++)
        pthread_create(&clerks[n], NULL, clerk, NULL);
    for (int n = 0; n < letters; n++) {
        pthread_mutex_lock(&counter);
        waiting++;
        pthread_cond_signal(&news);
        pthread_mutex_unlock(&counter);
    }
    pthread_mutex_lock(&counter);
    closed = 1;
    if (argv[1][0] == 'a')
        pthread_cond_broadcast(&news);
    else
        pthread_cond_signal(&news);
    pthread_mutex_unlock(&counter);
    for (int n = 0; n < CLERKS; n++)
        pthread_join(clerks[n], NULL);
    printf("%d letters\n", sent);
    return 0;
}
