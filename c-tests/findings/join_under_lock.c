// A thread is joined while a lock is held that it needs.
// ignore-native: only what is found is compared
// mended: -DFIXED
// run: check --only deadlock -- @
// finding: confirmed deadlock/lock-cycle: T0 waits for thread 1 to end; T1 waits for state, held by T0 since {taken} [-w] near [
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t state = PTHREAD_MUTEX_INITIALIZER;
static int stops;

static void *worker(void *arg)
{
    pthread_mutex_lock(&state);
    int own = stops;
    pthread_mutex_unlock(&state);
    return own ? arg : NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int waits = argc > 1 && strcmp(argv[1], "-w") == 0;
    pthread_mutex_lock(&state); //~ taken
    pthread_create(&thread, NULL, worker, NULL);
    stops = 1;
#ifdef FIXED
    waits = 0;
#endif
    if (waits)
        pthread_join(thread, NULL);
    pthread_mutex_unlock(&state);
    if (!waits)
        pthread_join(thread, NULL);
    return 0;
}
