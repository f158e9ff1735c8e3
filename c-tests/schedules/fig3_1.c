// Bergan, figure 3.1: each thread takes one of two locks, chosen by the input. However many threads there are, two
// schedules are enough.
// variants: -DTHREADS=2, -DTHREADS=5, -DTHREADS=32
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// constraint: atoi(argv[1]) == 0
// constraint: atoi(argv[1]) != 0
// ends: exit exit
// exec: 0
// exec: 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t B = PTHREAD_MUTEX_INITIALIZER;
static int X;
static int in_a, in_b;

static void *worker(void *arg)
{
    (void)arg;
    if (X == 0) {
        pthread_mutex_lock(&A);
        in_a++;
        pthread_mutex_unlock(&A);
    } else {
        pthread_mutex_lock(&B);
        in_b++;
        pthread_mutex_unlock(&B);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    if (argc < 2)
        return 2;
    X = atoi(argv[1]);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("A %d, B %d\n", in_a, in_b);
    return 0;
}
