// A recursive function that synchronises before and after it calls itself; the input says how deep it goes.
//
// By hand: each way round the recursion passes the function's entry, which is the marker. A thread that is one call deeper has
// another stack, so that there is no bound on epochs where stacks are told apart by their depth. In each of them there are 2
// schedules, one call more, or all of the way back, with as many locks as there are calls, and the end. If the input is at
// most 3, that is 5 epochs with 8 schedules: the entry has 1, and at the deepest call there is only the way back. No deadlock.
// exec: 3
// stdout: 6 on the way down, 3 on the way up
// exec: 0
// exec: 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int down, up;

static void descend(int n)
{
    if (n <= 0)
        return;
    pthread_mutex_lock(&lock);
    down += n;
    pthread_mutex_unlock(&lock);
    descend(n - 1);
    pthread_mutex_lock(&lock);
    up++;
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
    descend(*(int *)arg);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    int depth = argc > 1 ? atoi(argv[1]) : 0;
    pthread_create(&t, NULL, worker, &depth);
    pthread_join(t, NULL);
    printf("%d on the way down, %d on the way up\n", down, up);
    return 0;
}
