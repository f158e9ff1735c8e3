// Bergan 3.1, "Verification Strategy": the second thread fails only if it runs before the first one. Held to the one
// schedule of the set, it never does.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// constraint: true
// exec: 3
// stdout: x is 4
// exec: 4
// stdout: x is 4
// ignore-native: fails when the second thread happens to run first
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *make_even(void *arg)
{
    pthread_mutex_lock(&L);
    if (x % 2 != 0)
        x++;
    pthread_mutex_unlock(&L);
    return arg;
}

static void *insist_on_even(void *arg)
{
    pthread_mutex_lock(&L);
    if (x % 2 != 0)
        abort();
    pthread_mutex_unlock(&L);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t first, second;
    if (argc < 2)
        return 2;
    x = atoi(argv[1]);
    pthread_create(&first, NULL, make_even, NULL);
    pthread_create(&second, NULL, insist_on_even, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    printf("x is %d\n", x);
    return 0;
}
