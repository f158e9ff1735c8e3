// Behind a loop that synchronises as often as an input says, too, a path goes on behind errors: each of them is followed by a lock that is
// never given back. What is known of memory there makes fewer accesses errors than at the program's entry.
// variants: -DERROR=1, -DERROR=2, -DERROR=3, -DERROR=4, -DERROR=5
// run: enumerate --memory-errors=continue -- @
// expect: epochs=2 deadlocked=1 complete=true
// run: enumerate --memory-errors=continue -- 3
// expect: epochs=1 deadlocked=1 complete=true
// levels: O0
// ignore-native: it hangs
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER, kept = PTHREAD_MUTEX_INITIALIZER;
static int table[4];
static char *volatile none;
static volatile unsigned long many = 6;
static volatile int zero, sum;

static void *keep(void *arg)
{
    pthread_mutex_lock(&kept);
    return arg;
}

static void fail(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, keep, NULL);
#if ERROR == 1 /* a pointer into an int */
    int result;
    pthread_join(thread, (void **)(void *)&result);
#else
    pthread_join(thread, NULL);
#endif
#if ERROR == 2 /* one too many */
    for (int i = 0; i <= 4; i++)
        ((volatile int *)table)[i] = i;
#elif ERROR == 3 /* too many bytes */
    char to[4];
    memcpy(to, table, many);
    sum = to[0];
#elif ERROR == 4 /* null */
    sum = none[3];
#elif ERROR == 5
    sum = 1 / zero;
#endif
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    (void)argc;
    if (n < 1)
        return 2;
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&turn);
        pthread_mutex_unlock(&turn);
    }
    fail();
    pthread_mutex_lock(&kept);
    return 0;
}
