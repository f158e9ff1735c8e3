// A loop that changes nothing its test looks at goes round for ever once it goes round. Which inputs do is decided in front of it.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0 endless=1
// constraint: atoi(argv[1]) > 5
// ends: exit endless
// status: 1
// exec: 3
// exit: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    int pressure = atoi(argv[1]);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    while (pressure > 5)
        puts("too high");
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}
