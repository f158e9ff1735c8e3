// The assumption that programs of verification suites write themselves: `abort` there is no failure.
//
// By hand: the input is 1 to 3, so the assertion holds. The abort behind it is one that somebody wants to hear of.
// run: check -- @
// finding: confirmed abort: abort() was called
// ignore-native: only what is found is compared
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

void assume_abort_if_not(int cond)
{
    if (!cond)
        abort();
}

int __VERIFIER_nondet_int(void);

static int level;

static void *reader(void *arg)
{
    assert(level >= 1 && level <= 3);
    if (level == 2)
        abort();
    return NULL;
}

int main(void)
{
    pthread_t thread;
    level = __VERIFIER_nondet_int();
    assume_abort_if_not(level >= 1);
    assume_abort_if_not(level <= 3);
    pthread_create(&thread, NULL, reader, NULL);
    pthread_join(thread, NULL);
    return 0;
}
