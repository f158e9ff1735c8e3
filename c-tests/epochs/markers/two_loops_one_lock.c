// Two threads take one lock in a loop each, as often as the input says: Bergan's example of why epochs are needed (3.2.2).
//
// By hand, with a marker in front of the loop's condition: 4 epochs with 9 schedules, no deadlock. The entry has 1 schedule.
// When both threads are at the loop, each goes on or ends: 4. When one has ended, main waits for the other one in one of two
// calls of pthread_join, so these are two epochs, of 2 schedules each.
// exec: 3 2
// stdout: 5
// exec: 0 4
// exec: 0 0
// exec:
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turns;

static void *worker(void *arg)
{
    int bound = *(int *)arg;
    for (int i = 0; i < bound; i++) { //~ loop
        pthread_mutex_lock(&lock);
        turns++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    if (argc < 3)
        return 2;
    int x = atoi(argv[1]), y = atoi(argv[2]);
    pthread_create(&a, NULL, worker, &x);
    pthread_create(&b, NULL, worker, &y);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", turns);
    return 0;
}
