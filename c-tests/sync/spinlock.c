// Spin locks order threads as mutexes do.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// constraint: true
// exec: 5
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_spinlock_t lock;
static int total, weight;

static void *worker(void *arg)
{
    for (int i = 0; i < 4; i++) {
        pthread_spin_lock(&lock);
        total += weight;
        pthread_spin_unlock(&lock);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    if (argc < 2)
        return 2;
    weight = atoi(argv[1]);
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    pthread_spin_lock(&lock);
    printf("%d, busy %d\n", total, pthread_spin_trylock(&lock) == EBUSY);
    pthread_spin_unlock(&lock);
    pthread_spin_destroy(&lock);
    return 0;
}
