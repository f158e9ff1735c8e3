// A producer hands 400 items to a consumer through a ring of eight places, with condition variables; there are no inputs.
//
// By hand: no input decides anything, so there is one schedule. Where an epoch began at one of the loops, how full the ring is would have to be
// found out again, for each of its places.
// run: enumerate
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// exec:
// stdout: 79800
#include <pthread.h>
#include <stdio.h>

#define ITEMS 400
#define PLACES 8

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_item = PTHREAD_COND_INITIALIZER, has_place = PTHREAD_COND_INITIALIZER;
static int ring[PLACES], first, count;

static void *produce(void *unused) {
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (count == PLACES)
            pthread_cond_wait(&has_place, &lock);
        ring[(first + count++) % PLACES] = i;
        pthread_cond_signal(&has_item);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t producer;
    long sum = 0;
    pthread_create(&producer, NULL, produce, NULL);
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (count == 0)
            pthread_cond_wait(&has_item, &lock);
        sum += ring[first];
        first = (first + 1) % PLACES;
        count--;
        pthread_cond_signal(&has_place);
        pthread_mutex_unlock(&lock);
    }
    pthread_join(producer, NULL);
    printf("%ld\n", sum);
    return 0;
}
