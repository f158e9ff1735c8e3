// The program defines functions with library names: its own definitions are the ones that run, and nobody mistakes
// them for synchronisation or for output.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0 max_live_threads=1
// constraint: true
// exec: 5
// cflags: -fno-builtin
#include <stdio.h>
#include <stdlib.h>

int sem_wait(int *value)
{
    return --*value;
}

static int pthread_mutex_lock(const char *name, int n)
{
    printf("%s %d\n", name, n);
    return n + 1;
}

int index(int a, int b)
{
    return a * 100 + b;
}

void *memfrob(void *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((char *)p)[i] ^= 1;
    return p;
}

int main(int argc, char **argv)
{
    char text[] = "abc";
    int value = argc > 1 ? atoi(argv[1]) : 0;
    int before = value;
    int after = sem_wait(&value);
    printf("%d %d\n", before - after, value == after);
    printf("%d\n", pthread_mutex_lock("my own", before));
    printf("%d %s\n", index(before, 7), (char *)memfrob(text, 3));
    return 0;
}
