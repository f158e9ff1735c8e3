// `musttail` calls take no stack, however many there are: of a function to itself, of two to each other, through a table, of models.
// run: enumerate -- @
// expect: complete=true deadlocked=0
// exec: 5
// exit: 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define TAIL __attribute__((musttail)) return

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

struct pair {
    long a, b, c;
};

static long count(long n, long sum)
{
    if (n == 0)
        return sum;
    TAIL count(n - 1, sum + n % 3);
}

/* A local of its own in each round, of which nothing is left in the next one. */
static int digits(const char *s, int n)
{
    char first[2] = { 0, 0 };
    first[0] = *s;
    if (!first[0])
        return n;
    TAIL digits(s + 1, n + (first[0] >= '0' && first[0] <= '9'));
}

static struct pair pair_of(long n)
{
    struct pair p = { n, n + 1, n + 2 };
    return p;
}

static struct pair next_pair(long n)
{
    TAIL pair_of(n + 1);
}

static int lock(pthread_mutex_t *p)
{
    TAIL pthread_mutex_lock(p);
}

static int unlock(pthread_mutex_t *p)
{
    TAIL pthread_mutex_unlock(p);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 0;
    lock(&m);
    long sum = count(1000, 0);
    unlock(&m);
    printf("%ld %d %ld\n", sum, digits("a1b22c", 0), next_pair(4).c);
    return n > 3;
}
