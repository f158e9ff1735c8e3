// A null pointer behind two branches that decide no synchronisation: the path that is searched comes to the first of them
// only, and cannot take the other side of the second.
// levels: O0
// ignore-native: only what is found is compared
// mended: -DFIXED
// run: check -- @
// finding: confirmed memory-error: null ... [6]
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void put(int *place, int value)
{
    if (value > 5)
        place = NULL;
#ifdef FIXED
    if (!place)
        return;
#endif
    *place = value;
}

int main(int argc, char **argv)
{
    int own = 0;
    if (argc < 2)
        return 2;
    int number = atoi(argv[1]);
    pthread_mutex_lock(&lock);
    if (number < 3)
        put(&own, 1);
    else
        put(&own, number);
    pthread_mutex_unlock(&lock);
    return 0;
}
