// A reader that asks for the write lock waits for itself.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=1
// constraint: atoi(argv[1]) != 0
// exec: 0
// exit: 0
// exec: 1
// error: deadlock
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value = 1;

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    int change = atoi(argv[1]) != 0;
    pthread_rwlock_rdlock(&lock);
    if (change) {
        pthread_rwlock_wrlock(&lock);
        value = 2;
        pthread_rwlock_unlock(&lock);
    }
    printf("%d\n", value);
    pthread_rwlock_unlock(&lock);
    return 0;
}
