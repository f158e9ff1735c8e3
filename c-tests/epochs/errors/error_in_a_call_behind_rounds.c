// Behind a loop that synchronises as often as an input says, the library writes a pointer into an int: an error in every run, inside of a model. What
// is behind it is not looked at, and the result says so.
// run: enumerate -- @
// expect: complete=true deadlocked=0 memory_errors=1
// status: 1
// levels: O0
// exec: 2
// error: out-of-bounds
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg)
{
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    int result;
    if (argc < 2)
        return 2;
    int rounds = atoi(argv[1]);
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, (void **)(void *)&result); //~ out-of-bounds
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return result;
}
