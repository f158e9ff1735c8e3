// An address is split into two halves of 32 bits and put together again; inputs other than 0 write through it. The
// halves name no object, so the write may hit whatever has had its address taken apart: the flag that decides whether A
// is locked. Splitting once did not count as letting the address escape, and the branch before the write was left out.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// constraint: atoi(argv[1]) != 0
// constraint: atoi(argv[1]) == 0
// ends: exit exit
// exec: 0
// stdout: A 0, B 1
// exec: 4
// stdout: A 1, B 1
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t B = PTHREAD_MUTEX_INITIALIZER;
static int flag, a, b;

int main(int argc, char **argv)
{
    uint64_t address = (uintptr_t)&flag;
    uint32_t low = (uint32_t)address, high = (uint32_t)(address >> 32);
    if (argc < 2)
        return 2;
    if (atoi(argv[1]) != 0)
        *(int *)(uintptr_t)((uint64_t)high << 32 | low) = 1;
    if (flag) {
        pthread_mutex_lock(&A);
        a++;
        pthread_mutex_unlock(&A);
    }
    pthread_mutex_lock(&B);
    b++;
    pthread_mutex_unlock(&B);
    printf("A %d, B %d\n", a, b);
    return 0;
}
