// The only way out of the loop is a failure that never happens: two counters that go up together. It is not known here that they stay equal,
// so nothing is said for certain. It was called an abort for every input.
// run: enumerate
// expect: complete=false deadlocked=0
// reason: goes round for ever, or ends the process as a failure
// status: 3
// ignore-native: never ends
#include <pthread.h>
#include <stdlib.h>

static unsigned sent, received;

static void *echo(void *arg)
{
    (void)arg;
    for (unsigned own = 0;; own++, sent++, received++)
        if (sent != own || received != own)
            abort();
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, echo, NULL);
    pthread_join(t, NULL);
    return 0;
}
