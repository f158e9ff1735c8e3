// A belt with four places, which a cook fills with the same dish again and again, as often as the input says, and two waiters empty. The cook
// closes when all dishes are served.
//
// By hand: no deadlock. Where the belt begins and ends is between 0 and 3: the remainders say so. The dishes on it, in the same structure, are all
// fives, or nothing: that is no length of a ring, and whoever takes 4 for the last place believes that a dish may fall on the counters.
// run: enumerate -- @
// expect: complete=true deadlocked=0
// exec: 7
// stdout: 7 served
// exec: 0
// stdout: 0 served
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define PLACES 4

static struct {
    int dish[PLACES];
    int last, first, count;
    int closed, served;
    pthread_mutex_t mutex;
    pthread_cond_t filled, emptied, progress;
} belt = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .filled = PTHREAD_COND_INITIALIZER,
    .emptied = PTHREAD_COND_INITIALIZER,
    .progress = PTHREAD_COND_INITIALIZER,
};

static void put(int dish)
{
    pthread_mutex_lock(&belt.mutex);
    while (belt.count == PLACES)
        pthread_cond_wait(&belt.emptied, &belt.mutex);
    belt.dish[belt.last] = dish;
    belt.last = (belt.last + 1) % PLACES;
    belt.count++;
    pthread_cond_signal(&belt.filled);
    pthread_mutex_unlock(&belt.mutex);
}

static int take(int *dish)
{
    pthread_mutex_lock(&belt.mutex);
    while (belt.count == 0 && !belt.closed)
        pthread_cond_wait(&belt.filled, &belt.mutex);
    int any = belt.count > 0;
    if (any) {
        *dish = belt.dish[belt.first];
        belt.first = (belt.first + 1) % PLACES;
        belt.count--;
        pthread_cond_signal(&belt.emptied);
    }
    pthread_mutex_unlock(&belt.mutex);
    return any;
}

static void *serve(void *unused)
{
    int dish;
    long weight = 0;
    while (take(&dish)) {
        if (dish == 0)
            continue;
        weight += 1000 / dish;
        pthread_mutex_lock(&belt.mutex);
        belt.served++;
        pthread_cond_signal(&belt.progress);
        pthread_mutex_unlock(&belt.mutex);
    }
    return (void *)weight;
}

int main(int argc, char **argv)
{
    pthread_t waiters[2];
    if (argc != 2)
        return 2;
    int dishes = atoi(argv[1]);
    for (int n = 0; n < 2; n++)
        pthread_create(&waiters[n], NULL, serve, NULL);
    for (int n = 0; n < dishes; n++)
        put(5);
    pthread_mutex_lock(&belt.mutex);
    while (belt.served < dishes)
        pthread_cond_wait(&belt.progress, &belt.mutex);
    belt.closed = 1;
    pthread_cond_broadcast(&belt.filled);
    pthread_mutex_unlock(&belt.mutex);
    for (int n = 0; n < 2; n++)
        pthread_join(waiters[n], NULL);
    printf("%d served\n", belt.served);
    return 0;
}
