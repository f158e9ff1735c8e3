/* A ticket office. Three clerks serve one customer each; how many tickets every customer wants is on the command line. Seats
 * and boxes have a lock of their own. Asking for too much is handled - but look at what happens to the lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CLERKS 3

struct category {
    pthread_mutex_t lock;
    int most_per_customer;
    int sold;
};

static struct category boxes = { PTHREAD_MUTEX_INITIALIZER, 9, 0 };
static struct category seats = { PTHREAD_MUTEX_INITIALIZER, 100, 0 };
static int wanted;

static int sell(struct category *category, int tickets)
{
    pthread_mutex_lock(&category->lock);
    if (tickets > category->most_per_customer)
        return -1;                          /* too many: and the lock is still held */
    category->sold += tickets;
    pthread_mutex_unlock(&category->lock);
    return 0;
}

static void *clerk(void *unused)
{
    if (wanted < 10)
        sell(&boxes, wanted);
    else
        sell(&seats, wanted);
    return unused;
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
    printf("%d boxes and %d seats sold\n", boxes.sold, seats.sold);
    return 0;
}
