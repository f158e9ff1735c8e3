// Two threads wait for each other to end. POSIX leaves open whether one of them is told so; it need not be, and is not where both begin to
// wait at the same time.
//
// By hand: one schedule, in which they wait for ever; main has ended.
// run: enumerate
// expect: schedules=1 deadlocked=1 complete=true
// ignore-native: it waits for ever
#include <pthread.h>
#include <semaphore.h>

static pthread_t pair[2];
static sem_t both_are_there;

static void *wait_for_first(void *unused) {
    sem_wait(&both_are_there);
    pthread_join(pair[0], NULL);
    return unused;
}

static void *wait_for_second(void *unused) {
    sem_wait(&both_are_there);
    pthread_join(pair[1], NULL);
    return unused;
}

int main(void) {
    sem_init(&both_are_there, 0, 0);
    pthread_create(&pair[0], NULL, wait_for_second, NULL);
    pthread_create(&pair[1], NULL, wait_for_first, NULL);
    sem_post(&both_are_there);
    sem_post(&both_are_there);
    pthread_exit(NULL);
}
