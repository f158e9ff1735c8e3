// One or two spinners, as an input says, spin as many threads each as another input says, and a weaver takes as many as both make together: the product of
// the two inputs. There is room for two threads.
//
// By hand: what was spun and not woven lies on the shelf, and all that is spun is woven, so nobody waits for what does not come.
// (17 schedules at -O0. If products are unknown: 29, with 5 deadlocks that cannot happen.)
// run: enumerate -- @ @
// expect: complete=true deadlocked=0
// exec: 2 5
// stdout: 10
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define ROOM 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int on_shelf, each;

static void *spin(void *arg)
{
    for (int i = 0; i < each; i++) {
        pthread_mutex_lock(&lock);
        while (on_shelf == ROOM)
            pthread_cond_wait(&not_full, &lock);
        on_shelf++;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *weave(void *arg)
{
    int all = *(int *)arg, woven = 0;
    while (woven < all) {
        pthread_mutex_lock(&lock);
        while (on_shelf == 0)
            pthread_cond_wait(&not_empty, &lock);
        on_shelf--;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&lock);
        woven++;
    }
    printf("%d\n", woven);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    int spinners = atoi(argv[1]);
    each = atoi(argv[2]);
    if (spinners < 1 || spinners > 2 || each < 0 || each > 1000)
        return 2;
    int all = spinners * each;
    pthread_t weaver, handles[2];
    for (int i = 0; i < spinners; i++)
        if (pthread_create(&handles[i], NULL, spin, NULL) != 0)
            abort();
    if (pthread_create(&weaver, NULL, weave, &all) != 0)
        abort();
    for (int i = 0; i < spinners; i++)
        pthread_join(handles[i], NULL);
    pthread_join(weaver, NULL);
    return 0;
}
