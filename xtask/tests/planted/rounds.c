// Two threads add under a lock, as often as the input says.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds, sum;

static void *work(void *argument)
{
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        sum++;
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t t;
    rounds = argc > 1 ? atoi(argv[1]) : 0;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
