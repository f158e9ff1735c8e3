// A clerk looks at shelf 5000 again and again, and enters it in a book if it is 7. Shelves are numbered from 5000 on, so their array is kept as a pointer far
// in front of it, which C leaves undefined, and programs do.
//
// By hand: what the shelf holds is an input, so there are two ways to go on behind the first lock. The shelves are on the heap, where other arrays are, too, and
// the pointer is one of theirs, however far outside.
//
// run: enumerate -- @
// expect: epochs=2 schedules=3 complete=true deadlocked=0
// ignore-native: it runs for ever
#include <pthread.h>
#include <stdlib.h>

#define FIRST 5000

static int *shelves, *others[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, book = PTHREAD_MUTEX_INITIALIZER;
static int looked, entered;

static void *clerk(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (shelves[FIRST] == 7) {
            pthread_mutex_lock(&book);
            entered++;
            pthread_mutex_unlock(&book);
        }
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static int *made(int first)
{
    int *array = malloc(64);
    array[0] = first;
    return array;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc < 2)
        return 2;
    shelves = made(atoi(argv[1])) - FIRST;
    others[0] = made(3);
    others[1] = made(3);
    pthread_create(&thread, NULL, clerk, NULL);
    for (;;) {
        pthread_mutex_lock(&lock);
        looked++;
        pthread_mutex_unlock(&lock);
    }
}
