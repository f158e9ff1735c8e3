// An order that is too large leaves the function with the lock held: the next customer waits for ever.
// ignore-native: only what is found is compared
// mended: -DFIXED
// run: check --only deadlock -- @
// finding: confirmed deadlock/leaked-lock: T2 waits for shelf, leaked by T1 at {lock}, which ended ... near [
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t shelf = PTHREAD_MUTEX_INITIALIZER;
static int stock = 50;

static int take(int count)
{
    pthread_mutex_lock(&shelf); //~ lock
    if (count > stock) {
#ifdef FIXED
        pthread_mutex_unlock(&shelf);
#endif
        return -1;
    }
    stock -= count;
    pthread_mutex_unlock(&shelf);
    return 0;
}

static void *customer(void *arg)
{
    return take(atoi(arg)) < 0 ? arg : NULL;
}

int main(int argc, char **argv)
{
    pthread_t customers[2];
    if (argc < 2)
        return 2;
    for (int i = 0; i < 2; i++)
        pthread_create(&customers[i], NULL, customer, argv[1]);
    for (int i = 0; i < 2; i++)
        pthread_join(customers[i], NULL);
    return 0;
}
