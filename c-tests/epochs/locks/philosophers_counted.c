// Dining philosophers whose number is the input, from 2 to 8: the locks are initialised in a loop that goes round as often as that.
//
// By hand: a schedule for each number, 7, none of them with a deadlock, since forks are taken in the order of their numbers. The
// loop does not synchronise, but who replaces it by what it may do knows nothing of the locks behind it: another thread may hold
// them for ever then, or they may be errors.
// run: enumerate -- @
// expect: epochs=1 schedules=7 complete=true deadlocked=0
// exec: 3
// exec: 9
// exit: 2
#include <pthread.h>
#include <stdlib.h>

#define MOST 8

static pthread_mutex_t fork_lock[MOST];
static int seats, used[MOST];

static void *philosopher(void *arg)
{
    int left = (int)(long)arg, right = left + 1 == seats ? 0 : left + 1;
    int low = left < right ? left : right, high = left < right ? right : left;
    pthread_mutex_lock(&fork_lock[low]);
    pthread_mutex_lock(&fork_lock[high]);
    used[left]++;
    used[right]++;
    pthread_mutex_unlock(&fork_lock[high]);
    pthread_mutex_unlock(&fork_lock[low]);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[MOST];
    seats = argc > 1 ? atoi(argv[1]) : 0;
    if (seats < 2 || seats > MOST)
        return 2;
    for (int i = 0; i < seats; i++)
        pthread_mutex_init(&fork_lock[i], NULL);
    for (long i = 0; i < seats; i++)
        pthread_create(&t[i], NULL, philosopher, (void *)i);
    for (int i = 0; i < seats; i++)
        pthread_join(t[i], NULL);
    return 0;
}
