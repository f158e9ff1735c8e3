// A thread goes through a block from the heap, and the other one adds what it can meanwhile. Where the block ends is kept as a number, which is
// only compared with, and never becomes a pointer again.
//
// By hand: the first epoch ends where the thread is about to take the lock for the first four bytes; before, inputs outside of the limits end the
// program, which is the beginning of the same schedule. Then it comes to the next four bytes, or to the end of the block, and ends, and the program with
// it. An address is another number in each epoch, and so is what was computed from one: taken for what it had been in the epoch
// before, together with how far apart they are and where the block is, nothing could be true.
//
// run: enumerate --without whole-runs -- @
// expect: epochs=2 schedules=3 complete=true deadlocked=0
// exec: 3
// stdout: 8 16
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;
static int steps;

static void *reader(void *arg)
{
    size_t size = *(int *)arg > 50 ? 64 : 16;
    char *start = malloc(size);
    if (!start)
        return NULL;
    uintptr_t first = (uintptr_t)start, end = first + size;
    for (char *at = start; (uintptr_t)at < end; at += 4) {
        pthread_mutex_lock(&lock);
        total += end - (uintptr_t)at < size ? 4 : (uintptr_t)at - first + 4;
        steps++;
        pthread_mutex_unlock(&lock);
    }
    free(start);
    return NULL;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 0;
    if (n < 1 || n > 100)
        return 2;
    pthread_t thread;
    pthread_create(&thread, NULL, reader, &n);
    pthread_join(thread, NULL);
    printf("%d %ld\n", steps + 4, total);
    return 0;
}
