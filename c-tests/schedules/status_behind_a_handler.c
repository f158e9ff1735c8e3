// What main returns is what the process ends with, also behind a handler that runs at the end, where an epoch begins.
// run: enumerate -- @
// expect: complete=true deadlocked=1
// exits: any
// status: 1
// levels: O0
// exec: 7
// exit: 6
// exec: 2
// exit: 12
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int flag;

static void at_end(void)
{
    pthread_mutex_lock(&lock);
    if (flag == 3)
        pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
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
