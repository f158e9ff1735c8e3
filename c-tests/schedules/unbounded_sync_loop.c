// A loop that synchronises as often as the input says, without a bound: there is no finite set without epoch markers,
// so the result says that it is incomplete, and which loop is to blame.
// run: enumerate --without epochs --timeout 20s -- @
// expect: epochs=1 complete=false deadlocked=0
// reason: {loop} || {body} || {unlock}
// exec: 3
// exec: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n, done;

static void *worker(void *arg)
{
    for (int i = 0; i < n; i++) { //~ loop
        pthread_mutex_lock(&lock); //~ body
        done++;
        pthread_mutex_unlock(&lock); //~ unlock
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2)
        return 2;
    n = atoi(argv[1]);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    printf("%d\n", done);
    return 0;
}
