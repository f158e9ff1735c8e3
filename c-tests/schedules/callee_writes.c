// The input chooses one of two callees, neither of which synchronises. One of them sets what makes the worker lock, so
// the choice matters also on the path that calls the other one.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// constraint: atoi(argv[1]) != 0
// constraint: atoi(argv[1]) == 0
// ends: exit exit
// exec: 0
// stdout: tests 1, 0
// exec: 4
// stdout: tests 0, 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int tests, shared, locked;

static void set_tests(void)
{
    tests = 1;
}

static void set_shared(void)
{
    shared = 1;
}

static void *worker(void *arg)
{
    if (shared) {
        pthread_mutex_lock(&lock);
        locked = 1;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    void (*option)(void) = set_tests;
    if (argc < 2)
        return 2;
    if (atoi(argv[1]) != 0)
        option = set_shared;
    option();
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    printf("tests %d, %d\n", tests, locked);
    return 0;
}
