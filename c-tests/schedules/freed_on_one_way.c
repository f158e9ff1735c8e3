// A buffer is freed where the input is 2, and written all the same. All other inputs lock twice. That the path which shows the error had
// the buffer freed was no condition of it, so that it stood for every input, and the deadlock was missing.
//
// By hand: the deadlock is for every input but 2, which is an error. No schedule is needed for what happens behind that.
// run: enumerate -- @
// expect: epochs=1 complete=true deadlocked=1
// exec: 2
// error: use-after-free
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(int argc, char **argv)
{
    int mode = argc > 1 ? atoi(argv[1]) : 0;
    volatile char *buffer = malloc(16);
    if (buffer == NULL)
        return 1;
    if (mode == 2)
        free((void *)buffer);
    buffer[0] = 1;
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    return 0;
}
