// Two workers lock for each place of a table, row by row. How many rows and columns there are, the inputs say.
//
// By hand: no deadlock, since nobody holds the lock for long. A table without columns has rows, too, with nothing to do in any of them,
// so that a marker in the loop over columns is not enough: the worker does not come by. That loop is written as optimisers leave it,
// with its test behind the body. (The outer loop had no marker, was followed 32 times, and the result was incomplete.)
// run: enumerate -- @ @
// expect: complete=true deadlocked=0 epoch_markers=2
// exec: 3 4
// stdout: 36
// exec: 40 0
// stdout: 0
// exec: 0 5
// stdout: 0
// exec: 2 1
// stdout: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum;
static int rows, columns;

static void *visit(void *arg)
{
    for (int y = 0; y < rows; y++) {
        int x = 0;
        if (columns > 0)
            do {
                pthread_mutex_lock(&lock);
                sum += x * y;
                pthread_mutex_unlock(&lock);
            } while (++x < columns);
    }
    return arg;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    rows = atoi(argv[1]);
    columns = atoi(argv[2]);
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, visit, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%ld\n", sum);
    return 0;
}
