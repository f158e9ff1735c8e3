// Who ends the process in a branch inside of another one, or in a function that is called there, neither hangs nor
// ends with the status of those who do not. Behind the last synchronisation, who aborts is told apart from who exits.
// run: enumerate -- @ @
// expect: epochs=1 schedules=3 complete=true deadlocked=1
// ends: abort deadlock exit
// holds: 1 7 -> exit
// holds: 0 200 -> deadlock
// holds: 0 50 -> abort
// status: 1
// exec: 1 200
// exit: 1
// exec: 0 7
// exit: 3
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;

static void check(int first, int second)
{
    if (first) {
        if (second > 100)
            exit(1);
    }
}

static int fails(int first, int second)
{
    if (first == 0) {
        if (second == 50)
            abort();
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    int first = atoi(argv[1]), second = atoi(argv[2]);
    check(first, second);
    pthread_mutex_lock(&a);
    if (second > 100)
        pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    return 3 + fails(first, second);
}
