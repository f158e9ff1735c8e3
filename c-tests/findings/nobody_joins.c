// A thread that nobody joins fails an assertion. `main` returns, and in the schedules that ends the process first. In a
// run that is not held to them the thread may be faster.
// ignore-native: only what is found is compared
// mended: -DFIXED
// run: check --only assert -- @
// finding: predicted assert: assertion `level < 3` failed
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int level;

static void *watcher(void *arg)
{
    usleep(10);
    assert(level < 3);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    level = argc > 1 && argv[1][0] == 'x' ? 3 : 0;
#ifdef FIXED
    level = 2;
#endif
    pthread_create(&thread, NULL, watcher, NULL);
    return 0;
}
