// One input exits while it holds the lock, every other one locks it again and waits for ever. An early exit may share
// the schedule of inputs that go on, but not a deadlock: it must be claimed only for inputs that get there.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=1
// constraint: atoi(argv[1]) == 9
// constraint: atoi(argv[1]) != 9
// ends: exit deadlock
// exec: 9
// exit: 1
// exec: 3
// error: deadlock
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    pthread_mutex_lock(&lock);
    if (atoi(argv[1]) == 9)
        exit(1);
    pthread_mutex_lock(&lock);
    return 0;
}
