// A thread loops without a call, so that nobody can join it.
// end: goes on for ever in T1
#include <pthread.h>
static volatile int never;
static void *work(void *argument)
{
    int rounds = 0;
    for (;;)
        if (++rounds < 0 && argument) return argument;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    return never;
}
