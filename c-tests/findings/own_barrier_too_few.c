// A barrier of one's own waits for three, and only two come.
// ignore-native: only what is found is compared
// mended: -DFIXED
// run: check --only deadlock -- @
// finding: confirmed deadlock/nobody-to-signal: ... to be signalled; nobody is left who would signal [s] near [
#include <pthread.h>
#include <stdlib.h>

#define TEAM 3
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t open = PTHREAD_COND_INITIALIZER;
static int arrived, members;

/* A barrier of one's own. */
static void meet(void)
{
    pthread_mutex_lock(&gate);
    if (++arrived == TEAM)
        pthread_cond_broadcast(&open);
    while (arrived < TEAM)
        pthread_cond_wait(&open, &gate);
    pthread_mutex_unlock(&gate);
}

static void *member(void *arg)
{
    meet();
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t threads[TEAM];
    members = TEAM;
#ifndef FIXED
    if (argc > 1 && argv[1][0] == 's')
        members = TEAM - 1;
#endif
    for (int i = 0; i < members; i++)
        pthread_create(&threads[i], NULL, member, NULL);
    for (int i = 0; i < members; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
