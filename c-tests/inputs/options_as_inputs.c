// Options of unknown arguments: `-v` makes threads lock, and `-n 7` leaves the lock held.
//
// By hand: a deadlock for `-n 7` with `-v`. Constraints speak of options, not of bytes of arguments.
// ignore-native: only what is found is compared
// run: check -- @ @ @
// finding: confirmed deadlock/leaked-lock: T2 waits for lock, leaked by T1 at ...
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int verbose, count;

static void *work(void *arg)
{
    if (!verbose)
        return arg;
    pthread_mutex_lock(&lock);
    if (count == 7)
        return arg;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    int option;
    while ((option = getopt(argc, argv, "vn:")) != -1) {
        if (option == 'v')
            verbose = 1;
        else if (option == 'n')
            count = atoi(optarg);
        else
            return 2;
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
