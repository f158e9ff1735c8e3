// A switch on the input: three cases with a lock each and a default without one.
// run: enumerate -- @
// expect: epochs=1 schedules=4 complete=true deadlocked=0
// exec: 1
// exec: 2
// exec: 3
// exec: 4
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t red = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t green = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t blue = PTHREAD_MUTEX_INITIALIZER;
static int colour;
static const char *name = "none";

static void *worker(void *arg)
{
    switch (colour) {
    case 1:
        pthread_mutex_lock(&red);
        name = "red";
        pthread_mutex_unlock(&red);
        break;
    case 2:
        pthread_mutex_lock(&green);
        name = "green";
        pthread_mutex_unlock(&green);
        break;
    case 3:
        pthread_mutex_lock(&blue);
        name = "blue";
        pthread_mutex_unlock(&blue);
        break;
    default:
        break;
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2)
        return 2;
    colour = atoi(argv[1]);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    puts(name);
    return 0;
}
