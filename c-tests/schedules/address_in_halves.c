// An address is split into two halves of 32 bits and put together again, and the write through it happens for inputs
// above 3 only. The halves name no object, so the write may hit whatever has had its address taken apart: the flag that
// the worker looks at. Splitting once did not count as letting the address escape, and the branch was left out.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// constraint: atoi(argv[1]) > 3
// ends: exit exit
// exec: 3
// stdout: 0
// exec: 4
// stdout: 1
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int flag, locked;

static void *worker(void *arg)
{
    if (flag) {
        pthread_mutex_lock(&lock);
        locked = 1;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    uint64_t address = (uintptr_t)&flag;
    uint32_t low = (uint32_t)address, high = (uint32_t)(address >> 32);
    if (argc < 2)
        return 2;
    if (atoi(argv[1]) > 3)
        *(int *)(uintptr_t)((uint64_t)high << 32 | low) = 1;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    printf("%d\n", locked);
    return 0;
}
