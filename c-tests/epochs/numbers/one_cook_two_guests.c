// A cook makes twenty dishes; two guests eat ten each. The counter holds eight.
//
// By hand: no deadlock, whoever is faster. How many there are of each was read from memory: the bounds of the guests' counters are numbers
// that no instruction names.
// run: enumerate --
// expect: complete=true deadlocked=0
// exec:
// stdout: 20 dishes
#include <pthread.h>
#include <stdio.h>

enum { ROOM = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t dish = PTHREAD_COND_INITIALIZER, room = PTHREAD_COND_INITIALIZER;
static int on_counter, next_place, next_dish, eaten, each = 10;

static void *cook(void *arg)
{
    for (int made = 0; made < 2 * each; made++) {
        pthread_mutex_lock(&lock);
        while (on_counter == ROOM)
            pthread_cond_wait(&room, &lock);
        next_place = (next_place + 1) % ROOM;
        on_counter++;
        pthread_cond_signal(&dish);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *guest(void *arg)
{
    for (int had = 0; had < each; had++) {
        pthread_mutex_lock(&lock);
        while (on_counter == 0)
            pthread_cond_wait(&dish, &lock);
        next_dish = (next_dish + 1) % ROOM;
        on_counter--;
        eaten++;
        pthread_cond_signal(&room);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t first, second, third;
    pthread_create(&first, NULL, cook, NULL);
    pthread_create(&second, NULL, guest, NULL);
    pthread_create(&third, NULL, guest, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    pthread_join(third, NULL);
    printf("%d dishes\n", eaten);
    return 0;
}
