// Dining philosophers who take the fork with the lower number first; how often they eat, the input says.
//
// By hand, with a marker in front of the loop's condition: 2 epochs with 3 schedules for any number of philosophers. The entry
// has 1. At the markers all have eaten as often, so that all eat again, one after the other, or all end: 2 schedules. No
// deadlock, whatever the order of threads: forks are always taken in the order of their numbers.
// variants: -DPHILOSOPHERS=2, -DPHILOSOPHERS=5
// exec: 3
// exec: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t fork_lock[PHILOSOPHERS];
static int used[PHILOSOPHERS], eaten[PHILOSOPHERS], meals;

static void *philosopher(void *arg)
{
    int me = (int)(long)arg, left = me, right = (me + 1) % PHILOSOPHERS;
    int low = left < right ? left : right, high = left < right ? right : left;
    for (int i = 0; i < meals; i++) { //~ loop
        pthread_mutex_lock(&fork_lock[low]);
        pthread_mutex_lock(&fork_lock[high]);
        used[left]++;
        used[right]++;
        eaten[me]++;
        pthread_mutex_unlock(&fork_lock[high]);
        pthread_mutex_unlock(&fork_lock[low]);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[PHILOSOPHERS];
    meals = argc > 1 ? atoi(argv[1]) : 0;
    for (int i = 0; i < PHILOSOPHERS; i++)
        pthread_mutex_init(&fork_lock[i], NULL);
    for (long i = 0; i < PHILOSOPHERS; i++)
        pthread_create(&t[i], NULL, philosopher, (void *)i);
    for (int i = 0; i < PHILOSOPHERS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < PHILOSOPHERS; i++)
        printf("%d: ate %d times, fork used %d times\n", i, eaten[i], used[i]);
    return 0;
}
