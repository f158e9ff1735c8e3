// Dining philosophers who all take the left fork first. TOGETHER: none of them takes the right one before all have the left.
//
// By hand, with a marker in front of the loop's condition (TOGETHER: the barrier is the marker): without TOGETHER 2 epochs
// with 3 schedules, none of which deadlocks, since a schedule may let one philosopher eat after the other; but the order of
// locks has a cycle, so that other schedules of the same input do. With TOGETHER, every input above 0 deadlocks: from the
// entry 2 schedules, one to the barrier and one to the end, and 1 from the barrier, which ends in a deadlock.
// variants: -DPHILOSOPHERS=2, -DPHILOSOPHERS=3, -DPHILOSOPHERS=3 -DTOGETHER
// exec: 0
// stdout: 0 meals
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t fork_lock[PHILOSOPHERS];
static pthread_barrier_t all_have_one;
static int eaten[PHILOSOPHERS], meals;

static void *philosopher(void *arg)
{
    int me = (int)(long)arg, left = me, right = (me + 1) % PHILOSOPHERS;
    for (int i = 0; i < meals; i++) { //~ loop
        pthread_mutex_lock(&fork_lock[left]);
#ifdef TOGETHER
        pthread_barrier_wait(&all_have_one);
#endif
        pthread_mutex_lock(&fork_lock[right]);
        eaten[me]++;
        pthread_mutex_unlock(&fork_lock[right]);
        pthread_mutex_unlock(&fork_lock[left]);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[PHILOSOPHERS];
    int sum = 0;
    meals = argc > 1 ? atoi(argv[1]) : 0;
    pthread_barrier_init(&all_have_one, NULL, PHILOSOPHERS);
    for (int i = 0; i < PHILOSOPHERS; i++)
        pthread_mutex_init(&fork_lock[i], NULL);
    for (long i = 0; i < PHILOSOPHERS; i++)
        pthread_create(&t[i], NULL, philosopher, (void *)i);
    for (int i = 0; i < PHILOSOPHERS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < PHILOSOPHERS; i++)
        sum += eaten[i];
    printf("%d meals\n", sum);
    return 0;
}
