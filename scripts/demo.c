/* A ticket office. Every clerk sells tickets of the category that the command line asks for; each category has a lock of
 * its own. Selling out is handled - but look at what happens to the lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CLERKS 3

struct category {
    pthread_mutex_t lock;
    int left;
};

static struct category seats = { PTHREAD_MUTEX_INITIALIZER, 100 };
static struct category boxes = { PTHREAD_MUTEX_INITIALIZER, 8 };
static int wanted;

static int sell(struct category *category, int tickets)
{
    pthread_mutex_lock(&category->lock);
    if (tickets > category->left)
        return -1;                      /* sold out: and the lock is still held */
    category->left -= tickets;
    pthread_mutex_unlock(&category->lock);
    return 0;
}

static void *clerk(void *unused)
{
    (void)unused;
    if (wanted < 10)
        sell(&boxes, 2);
    else
        sell(&seats, wanted);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t clerks[CLERKS];

    if (argc != 2) {
        fprintf(stderr, "usage: %s TICKETS\n", argv[0]);
        return 2;
    }
    wanted = atoi(argv[1]);
    for (int i = 0; i < CLERKS; i++)
        pthread_create(&clerks[i], NULL, clerk, NULL);
    for (int i = 0; i < CLERKS; i++)
        pthread_join(clerks[i], NULL);
    printf("%d seats and %d boxes left\n", seats.left, boxes.left);
    return 0;
}
