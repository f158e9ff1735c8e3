// The input chooses the function that a thread runs, through a function pointer.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// exec: 1
// exec: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t read_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t write_lock = PTHREAD_MUTEX_INITIALIZER;
static const char *did = "nothing";

static void *reader(void *arg)
{
    pthread_mutex_lock(&read_lock);
    did = "read";
    pthread_mutex_unlock(&read_lock);
    return arg;
}

static void *writer(void *arg)
{
    pthread_mutex_lock(&write_lock);
    did = "written";
    pthread_mutex_unlock(&write_lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    void *(*role)(void *) = reader;
    if (argc < 2)
        return 2;
    if (atoi(argv[1]) == 2)
        role = writer;
    pthread_create(&t, NULL, role, NULL);
    pthread_join(t, NULL);
    puts(did);
    return 0;
}
