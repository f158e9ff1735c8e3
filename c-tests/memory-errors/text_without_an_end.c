// For one input a text has no end: how long it is taken to be depends on what is behind it, which nobody knows.
// run: enumerate --memory-errors=continue -- @
// expect: complete=true deadlocked=1
// status: 1
// levels: O0
// exec: 3
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 0;
    char text[4];
    memcpy(text, "abc", 4);
    if (n == 7)
        text[3] = 'd';
    pthread_mutex_lock(&a);
    if (strlen(text) > 5)
        pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    return 0;
}
