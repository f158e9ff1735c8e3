// A flag behind a table, in one structure. The table is filled at indices that are characters of an argument, in a loop that goes round as
// often as the argument has characters. A character is less than 256, so the flag stays what main has set it to, and threads that ask it
// under a lock have one way to go.
//
// Of the address of an element, points-to analysis says only that it is some multiple of four behind the table. How far it can be follows
// from the index, which was a byte.
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

struct skips {
    int distance[256];
    int length;
    int ignores_case;
};

static struct skips skips;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds, total;

static void prepare(const char *text)
{
    skips.ignores_case = 0;
    skips.length = strlen(text);
    for (int c = 0; c < 256; c++)
        skips.distance[c] = skips.length;
    for (int i = 0; i + 1 < skips.length; i++)
        skips.distance[(unsigned char)text[i]] = skips.length - 1 - i;
}

static void *count(void *arg)
{
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        total++;
        if (skips.ignores_case) {
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
    prepare(strdup(argv[1]));
    pthread_create(&thread, NULL, count, NULL);
    count(NULL);
    pthread_join(thread, NULL);
    printf("%d rounds\n", total);
    return 0;
}
