// A pointer that is null for some inputs, on a branch that decides no synchronisation: every schedule is the same.
// An optimiser may take it that a pointer which is written through is not null.
// levels: O0
// ignore-native: only what is found is compared
// mended: -DFIXED
// run: check -- @1
// finding: confirmed memory-error: null ... [x]
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *add(void *arg)
{
    pthread_mutex_lock(&lock);
    total += (int)(long)arg;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int own = 1;
    int *place = &own;
    if (argc < 2)
        return 2;
    if (pthread_create(&thread, NULL, add, (void *)1L))
        return 1;
    if (argv[1][0] == 'x')
        place = NULL;
#ifdef FIXED
    if (!place)
        place = &own;
#endif
    *place = 7;
    pthread_join(thread, NULL);
    return total == own;
}
