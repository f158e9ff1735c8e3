// A flag behind a table, in one structure. All of the table is filled, one element after the other, but only where the text before was
// found to be good: so whether it is filled depends on the input. The loop that fills it counts to 256, so the flag stays what main
// has set it to, and threads that ask it under a lock have one way to go.
//
// By hand: the first epoch ends with both threads at the marker of their loops. There both go round, or both end: two schedules.
//
// run: enumerate -- @ @
// expect: epochs=2 schedules=3 complete=true deadlocked=0
// levels: O0
// exec: ab 3
// stdout: 6 rounds
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct widths {
    int of[256];
    int is_turned;
};

static struct widths widths;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds, total;

static int check(const char *text)
{
    for (int i = 0; text[i]; i++)
        if (text[i] == ' ')
            return -1;
    return 0;
}

static int prepare(const char *text, int *of)
{
    if (check(text) < 0)
        return -1;
    for (int c = 0; c < 256; c++)
        of[c] = 8;
    return 0;
}

static void *count(void *arg)
{
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        total++;
        if (widths.is_turned) {
            pthread_mutex_unlock(&lock);
            pthread_mutex_lock(&lock);
            total++;
        }
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc < 3)
        return 1;
    rounds = atoi(argv[2]);
    if (prepare(argv[1], widths.of) < 0)
        exit(1);
    pthread_create(&thread, NULL, count, NULL);
    count(NULL);
    pthread_join(thread, NULL);
    printf("%d rounds\n", total);
    return 0;
}
