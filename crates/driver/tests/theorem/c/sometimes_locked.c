// A mutex that is held on one way only, and what is asked of it then.
// exec: 0
// exec: 1
// exec: 2
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count, busy;

static void *worker(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        count++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? argv[1][0] - '0' : 0;
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    for (int i = 0; i < 4; i++) {
        int taken = 0;
        if ((n + i) & 1) {
            pthread_mutex_lock(&lock);
            taken = 1;
        }
        for (int j = 0; j < 3; j++)
            busy += n + j;
        if (!taken && pthread_mutex_trylock(&lock) != 0)
            continue;
        count += busy > 10;
        pthread_mutex_unlock(&lock);
    }
    pthread_join(thread, NULL);
    return count & 63;
}
