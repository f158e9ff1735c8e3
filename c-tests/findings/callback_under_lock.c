// A list calls back while it is locked, and what it calls takes the lock again.
// ignore-native: only what is found is compared
// mended: -DFIXED
// run: check --only deadlock -- @
// finding: confirmed deadlock/self-deadlock: T1 waits for list, which it holds itself since {first} [r] near [
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t list = PTHREAD_MUTEX_INITIALIZER;
static int entries;

static void for_each(void (*visit)(int), int count)
{
    pthread_mutex_lock(&list); //~ first
#ifdef FIXED
    pthread_mutex_unlock(&list);
#endif
    for (int i = 0; i < count; i++)
        visit(i);
#ifndef FIXED
    pthread_mutex_unlock(&list);
#endif
}

static void remove_entry(int number)
{
    if (number != 1)
        return;
    pthread_mutex_lock(&list);
    entries--;
    pthread_mutex_unlock(&list);
}

static void *worker(void *arg)
{
    for_each(remove_entry, *(char *)arg == 'r' ? 2 : 1);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc < 2)
        return 2;
    pthread_create(&thread, NULL, worker, argv[1]);
    pthread_join(thread, NULL);
    return entries;
}
