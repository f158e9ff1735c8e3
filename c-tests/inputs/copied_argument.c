// A copy of an argument, as long as the argument is: the loops over its characters decide nothing about
// synchronisation, and there is room for the terminator, so there is one schedule and no error. The length of the copy
// once went its own way, as if it had nothing to do with the string's.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// constraint: true
// status: 0
// exec: word
// stdout: word
// exec: a-somewhat-longer-word
// stdout: a-somewhat-longer-word
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static char *copy_of(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    if (!copy)
        abort();
    strcpy(copy, text);
    return copy;
}

static void *worker(void *arg)
{
    char *word = copy_of(arg);
    pthread_mutex_lock(&lock);
    puts(word);
    pthread_mutex_unlock(&lock);
    free(word);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2)
        return 2;
    pthread_create(&t, NULL, worker, argv[1]);
    pthread_join(t, NULL);
    return 0;
}
