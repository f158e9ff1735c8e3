// The second character of an argument is an option letter; anything else is bad usage, which is a prefix.
// run: enumerate -- @2
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// exec: -l
// exec: -n
// exec: xx
// exit: 2
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int locking, count;

static void *worker(void *arg)
{
    if (locking)
        pthread_mutex_lock(&lock);
    count++;
    if (locking)
        pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2 || argv[1][0] != '-')
        return 2;
    switch (argv[1][1]) {
    case 'l':
        locking = 1;
        break;
    case 'n':
        locking = 0;
        break;
    default:
        return 2;
    }
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    printf("%d %d\n", locking, count);
    return 0;
}
