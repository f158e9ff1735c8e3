// A table of rows that a loop makes, as many as an input says: the loop is replaced, and that it has made all of them is no fact. So each
// access may be one through a null pointer as far as anybody can say, which is left open, and nothing that was found (status 0).
//
// By hand: what a row holds decides whether the lock is taken, and who ends without it is a prefix of who takes it: 1 schedule.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// run: enumerate -- @ b
// expect: epochs=1 complete=true deadlocked=0
// status: 1
// exec: 3
// stdout: 3 rows
// exec: 0
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static double **rows;
static int n;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *memory(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (!p)
        exit(1);
    return p;
}

int main(int argc, char **argv)
{
    n = argc > 1 ? atoi(argv[1]) : 0;
    if (n < 1)
        return 2;
    // Not the loop's doing: this one counts.
    if (argc > 2)
        n = 8 / (argv[1][0] - 'b');
    rows = memory(n + 2, sizeof *rows);
    for (int i = 0; i < n + 2; i++)
        rows[i] = memory(n + 2, sizeof **rows);
    double sum = 0;
    for (int i = 1; i <= n; i++)
        sum += rows[i][1];
    if (rows[n / 2 + 1][1] + sum > 0.5) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    printf("%d rows\n", n);
    return 0;
}
