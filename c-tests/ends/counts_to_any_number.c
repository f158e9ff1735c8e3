// Loops that count, in registers and in memory, up and down, by halves and in two directions: all are proved to end but for the last one of `main`,
// which halves what is left by squares.
// run: enumerate -- @
// expect: epochs=1 schedules>=1 complete=true deadlocked=0
// assumes: {halves}
// levels: O0
// exec: 12
// stdout: 66 12 4 2 4 12
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct meter {
    int reading;
    int limit;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct meter meter;

static int gcd(int a, int b)
{
    while (b) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int digits(unsigned n)
{
    int count = 0;
    for (; n; n /= 10)
        count++;
    return count;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    int n = atoi(argv[1]), sum = 0, bits = 0, low = 0, high = n;
    for (int i = 0; i < n; i++)
        sum += i;
    meter.limit = n;
    while (meter.reading < meter.limit)
        meter.reading++;
    for (unsigned left = (unsigned)n; left; left >>= 1)
        bits++;
    while (low < high) { //~ halves
        int middle = low + (high - low) / 2;
        if (middle * middle < n)
            low = middle + 1;
        else
            high = middle;
    }
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    printf("%d %d %d %d %d %d\n", sum, meter.reading, bits, digits((unsigned)n), low, gcd(n, 24));
    return 0;
}
