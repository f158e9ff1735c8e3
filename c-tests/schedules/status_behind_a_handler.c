// What main returns is what the process ends with, also where a handler that runs at the end synchronises and an epoch begins there.
// run: enumerate -- @
// expect: complete=true
// exec: 7
// exit: 6
// exec: 3
// exit: 12
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int flag;

static void at_end(void)
{
    for (int i = 0; i < flag; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 0;
    atexit(at_end);
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&lock);
        flag = i;
        pthread_mutex_unlock(&lock);
    }
    return n == 7 ? flag : 12;
}
