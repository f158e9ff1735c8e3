// The first number decides only which second number makes the process exit early: 1 if it is positive, 2 otherwise. So
// 1 locks B unless the first number is positive, 2 locks C if it is, and everything else locks A: three schedules.
// An early exit once counted as covering its inputs without the branch that its condition depends on; then "1 exits",
// which holds only behind positive first numbers, hid the schedule with B.
// run: enumerate -- @ @
// expect: epochs=1 schedules=3 complete=true deadlocked=0
// ends: exit exit exit
// exec: 5 1
// exit: 1
// exec: 5 2
// stdout: 0 0 1
// exec: 0 1
// stdout: 0 1 0
// exec: 0 2
// exit: 1
// exec: 5 7
// stdout: 1 0 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t B = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t C = PTHREAD_MUTEX_INITIALIZER;
static int a, b, c;

static void count_under(pthread_mutex_t *lock, int *counter)
{
    pthread_mutex_lock(lock);
    ++*counter;
    pthread_mutex_unlock(lock);
}

int main(int argc, char **argv)
{
    int forbidden;
    if (argc < 3)
        return 2;
    int mode = atoi(argv[2]);
    if (atoi(argv[1]) > 0)
        forbidden = 1;
    else
        forbidden = 2;
    if (mode == forbidden)
        exit(1);
    if (mode == 1)
        count_under(&B, &b);
    else if (mode == 2)
        count_under(&C, &c);
    else
        count_under(&A, &a);
    printf("%d %d %d\n", a, b, c);
    return 0;
}
