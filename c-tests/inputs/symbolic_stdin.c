// One character from standard input decides whether the thread locks.
// run: enumerate --sym-stdin 1
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// exec:
// stdin: y
// exec:
// stdin: n
// exec:
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int answer, locked;

static void *worker(void *arg)
{
    if (answer == 'y') {
        pthread_mutex_lock(&lock);
        locked = 1;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    answer = getchar();
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    printf("%s\n", locked ? "locked" : "free");
    return 0;
}
