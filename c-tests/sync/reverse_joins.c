// As many threads as an input says, at most six, whose handles are on the heap. The last one is joined first.
//
// By hand: one schedule for each number of threads. Whose handle is read follows from how often the loop before has gone round: comparisons say what `n - 1` is, no
// handle needs to be looked for, and the number is all that conditions speak of. What is above six or below one ends the program before.
// (0.1 s for six threads; 17 s while the solver looked for the handle.)
// run: enumerate -- @
// expect: schedules=6 complete=true deadlocked=0
// constraint: atoi(argv[1]) == 5
// constraint: atoi(argv[1]) == 6
// exec: 4
// stdout: 0 1 4 9
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static long square[6];

static void *compute(void *arg)
{
    long i = (long)arg;
    square[i] = i * i;
    return NULL;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 0;
    if (n < 1 || n > 6)
        return 2;
    pthread_t *threads = malloc(n * sizeof *threads);
    for (long i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, compute, (void *)i);
    for (int i = n - 1; i >= 0; i--)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < n; i++)
        printf(i ? " %ld" : "%ld", square[i]);
    puts("");
    free(threads);
    return 0;
}
