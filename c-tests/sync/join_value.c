// What a thread returns, or gives to pthread_exit three calls deep, is what join delivers; main ends by pthread_exit.
// Ending by pthread_exit is another synchronisation statement than returning, so the divisor zero has its own schedule.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// constraint: atoi(argv[1]) == 0
// exec: 12
// exec: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int divisor;

static void give_up(long code)
{
    pthread_exit((void *)code);
}

static long divide(long n)
{
    if (divisor == 0)
        give_up(-1);
    return n / divisor;
}

static void *worker(void *arg)
{
    return (void *)divide((long)arg);
}

static void *last(void *arg)
{
    pthread_join(*(pthread_t *)arg, NULL);
    puts("main is gone");
    return NULL;
}

int main(int argc, char **argv)
{
    static pthread_t self;
    pthread_t t;
    void *result;
    if (argc < 2)
        return 2;
    divisor = atoi(argv[1]);
    pthread_create(&t, NULL, worker, (void *)144L);
    pthread_join(t, &result);
    printf("%ld, self %d\n", (long)result, pthread_equal(pthread_self(), t) != 0);
    fflush(stdout);
    self = pthread_self();
    pthread_create(&t, NULL, last, &self);
    pthread_detach(t);
    pthread_exit(NULL);
}
