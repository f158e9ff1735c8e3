// As exit_handler_locks.c, with the destructor attribute: it runs whenever the process exits. A positive input returns
// after A and locks the destructor's B next, which is no prefix of A, C, B. Below -5, _exit() ends the process right
// after A, without destructors: that is a prefix, so these inputs follow either of the others as far as they get.
// run: enumerate --without epochs -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// constraint: atoi(argv[1]) > 0
// ends: exit exit
// exec: 1
// exit: 1
// exec: 0
// exit: 0
// exec: -6
// exit: 4
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t B = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t C = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void count_under(pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    count++;
    pthread_mutex_unlock(lock);
}

__attribute__((destructor)) static void tidy_up(void)
{
    count_under(&B);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        _exit(2);
    int input = atoi(argv[1]);
    count_under(&A);
    if (input > 0)
        return 1;
    if (input < -5)
        _exit(4);
    count_under(&C);
    return 0;
}
