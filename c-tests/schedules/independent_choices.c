// Two threads choose a lock each, by different inputs: two times two schedules.
// run: enumerate -- @ @
// expect: epochs=1 schedules=4 complete=true deadlocked=0
// constraint: atoi(argv[1])
// constraint: atoi(argv[2])
// exec: 0 0
// exec: 1 0
// exec: 0 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t B = PTHREAD_MUTEX_INITIALIZER;
static int a, b;

static void *worker(void *arg)
{
    int choice = *(int *)arg;
    if (choice > 0) {
        pthread_mutex_lock(&A);
        a++;
        pthread_mutex_unlock(&A);
    } else {
        pthread_mutex_lock(&B);
        b++;
        pthread_mutex_unlock(&B);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    int choice[2];
    if (argc < 3)
        return 2;
    for (int i = 0; i < 2; i++) {
        choice[i] = atoi(argv[i + 1]);
        pthread_create(&t[i], NULL, worker, &choice[i]);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("A %d, B %d\n", a, b);
    return 0;
}
