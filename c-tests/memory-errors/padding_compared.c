// Two structures are compared with their padding, which nobody has written: they may be equal or not.
// run: enumerate --memory-errors=continue
// expect: schedules=2 deadlocked=1 complete=true behind=2
// memory-error: {compare}: uninitialised-value
// exec:
// error: uninitialised
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct key {
    char kind;
    int number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct key *make(char kind, int number)
{
    struct key *key = malloc(sizeof *key);
    key->kind = kind;
    key->number = number;
    return key;
}

int main(void)
{
    struct key *volatile a = make('k', 3), *volatile b = make('k', 3);
    volatile unsigned long size = sizeof *a;
    pthread_mutex_lock(&lock);
    if (memcmp(a, b, size) == 0) //~ compare
        pthread_mutex_lock(&lock);
    return 0;
}
