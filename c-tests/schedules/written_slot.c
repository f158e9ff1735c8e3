// The input chooses the element that is written, by a branch. On the path that writes another element, that write once
// did not matter, and so neither did the branch that chose it: one schedule "for every input" that 5 does not follow.
// Only slot[1] makes the worker lock A, and it is set exactly for inputs other than 0.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// constraint: atoi(argv[1]) != 0
// constraint: atoi(argv[1]) == 0
// ends: exit exit
// exec: 0
// stdout: A 0, B 1
// exec: 5
// stdout: A 1, B 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t B = PTHREAD_MUTEX_INITIALIZER;
static int slot[2], a, b;

static void *worker(void *arg)
{
    if (slot[1]) {
        pthread_mutex_lock(&A);
        a++;
        pthread_mutex_unlock(&A);
    }
    pthread_mutex_lock(&B);
    b++;
    pthread_mutex_unlock(&B);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    int chosen = 0;
    if (argc < 2)
        return 2;
    if (atoi(argv[1]) != 0)
        chosen = 1;
    slot[chosen] = 1;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    printf("A %d, B %d\n", a, b);
    return 0;
}
