// Behind a loop that synchronises as often as an input says, every run writes through a null pointer. The epoch had no schedule, no error was
// told, and the result was called complete.
// run: enumerate -- @
// expect: complete=true deadlocked=0 memory_errors=1
// status: 1
// levels: O0
// exec: 2
// error: null-pointer
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *result;

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    int rounds = atoi(argv[1]);
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    *result = rounds; //~ null-pointer
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}
