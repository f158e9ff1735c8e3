// Two bakers bake as many loaves each as an input says, and lay them on a shelf that has room for three; an eater takes twice as many from it.
//
// By hand: what was baked and not eaten is on the shelf, so who waits for a loaf is woken by one, and who waits for room by the eater: nobody waits for
// ever. Once one baker has gone, what he has baked is the input: his number has become equal to it.
// (14 schedules. If equal terms without a constant are asked about last: 18, with two deadlocks that cannot happen.)
// run: enumerate -- @
// expect: complete=true deadlocked=0
// exec: 2
// stdout: 106
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define ROOM 3

static struct {
    int loaves[ROOM];
    int next_in, next_out, count;
    pthread_mutex_t lock;
    pthread_cond_t room, bread;
} shelf = {.lock = PTHREAD_MUTEX_INITIALIZER, .room = PTHREAD_COND_INITIALIZER, .bread = PTHREAD_COND_INITIALIZER};

static int wanted;

static void lay(int loaf)
{
    pthread_mutex_lock(&shelf.lock);
    while (shelf.count == ROOM)
        pthread_cond_wait(&shelf.room, &shelf.lock);
    shelf.loaves[shelf.next_in] = loaf;
    shelf.next_in = (shelf.next_in + 1) % ROOM;
    shelf.count++;
    pthread_cond_signal(&shelf.bread);
    pthread_mutex_unlock(&shelf.lock);
}

static int take(void)
{
    pthread_mutex_lock(&shelf.lock);
    while (shelf.count == 0)
        pthread_cond_wait(&shelf.bread, &shelf.lock);
    int loaf = shelf.loaves[shelf.next_out];
    shelf.next_out = (shelf.next_out + 1) % ROOM;
    shelf.count--;
    pthread_cond_signal(&shelf.room);
    pthread_mutex_unlock(&shelf.lock);
    return loaf;
}

static void *bake(void *arg)
{
    int baker = *(int *)arg;
    for (int i = 0; i < wanted; i++)
        lay(50 * baker + i);
    return NULL;
}

static void *eat(void *arg)
{
    int all = *(int *)arg;
    long eaten = 0;
    for (int i = 0; i < all; i++)
        eaten += take();
    printf("%ld\n", eaten + all);
    return NULL;
}

int main(int argc, char **argv)
{
    wanted = argc > 1 ? atoi(argv[1]) : 2;
    if (wanted < 0 || wanted > 1000)
        return 2;
    int all = 2 * wanted, numbers[2];
    pthread_t bakers[2], eater;
    for (int i = 0; i < 2; i++) {
        numbers[i] = i;
        if (pthread_create(&bakers[i], NULL, bake, &numbers[i]) != 0)
            exit(1);
    }
    if (pthread_create(&eater, NULL, eat, &all) != 0)
        exit(1);
    for (int i = 0; i < 2; i++)
        pthread_join(bakers[i], NULL);
    pthread_join(eater, NULL);
    return 0;
}
