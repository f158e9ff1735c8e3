// A clerk sleeps until the shop is closed. Two porters carry boxes, each as many as the input says, and take the same lock for each. main
// joins the porters, first one and then the other, closes the shop, and joins the clerk.
//
// There is no deadlock. Where one porter has ended before main gets to it, nobody knows its handle any more; but it is not that of
// the clerk, who would never end if main waited for it before it closes the shop.
// run: enumerate -- @ @
// expect: complete=true deadlocked=0
// exec: 2 3
// stdout: 5 boxes
// exec: 0 0
// stdout: 0 boxes
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t bell = PTHREAD_COND_INITIALIZER;
static int closed, carried;

static void *sleep_until_closed(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!closed)
        pthread_cond_wait(&bell, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *carry(void *boxes)
{
    for (int left = *(int *)boxes; left > 0; left--) {
        pthread_mutex_lock(&lock);
        carried++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t clerk, porters[2];
    int boxes[2];
    if (argc != 3)
        return 2;
    pthread_create(&clerk, NULL, sleep_until_closed, NULL);
    for (int n = 0; n < 2; n++) {
        boxes[n] = atoi(argv[n + 1]);
        pthread_create(&porters[n], NULL, carry, &boxes[n]);
    }
    pthread_join(porters[0], NULL);
    pthread_join(porters[1], NULL);
    pthread_mutex_lock(&lock);
    closed = 1;
    pthread_cond_signal(&bell);
    pthread_mutex_unlock(&lock);
    pthread_join(clerk, NULL);
    printf("%d boxes\n", carried);
    return 0;
}
