// C without prototypes: calls with fewer arguments than the function has parameters. What is missing may not decide anything; what is there
// does.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// exec: 2
// exec: 9
// cflags: -std=gnu89 -w
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int total;

int add();
int twice();
int first_of();

int main(argc, argv)
int argc;
char **argv;
{
    int n = argc > 1 ? atoi(argv[1]) : 0;
    if (n > 3)
        add(n);
    else
        add(n, &m);
    twice(4);
    printf("%d %d\n", total, first_of(3));
    return 0;
}

int add(n, lock)
int n;
pthread_mutex_t *lock;
{
    if (n > 3)
        return n;
    pthread_mutex_lock(lock);
    total += n;
    pthread_mutex_unlock(lock);
    return n;
}

int twice(n, factor)
int n;
double factor;
{
    return n ? 2 * n : (int)factor;
}

int first_of(a, b, c)
int a;
long b;
char *c;
{
    return a > 0 ? a : b > 0 ? (int)b : c[0];
}
