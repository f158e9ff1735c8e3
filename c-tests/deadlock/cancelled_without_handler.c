// The handler gives back another lock than the one that is held: the deadlock is told, and only for those who are cancelled.
// run: enumerate -- @
// expect: complete=true deadlocked=1
// constraint: argv[1]
// exec: 0
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int quits;

static void unlock(void *lock)
{
    pthread_mutex_unlock(lock);
}

static void *work(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_cleanup_push(unlock, &b);
    if (quits)
        pthread_exit(arg);
    pthread_cleanup_pop(1);
    pthread_mutex_unlock(&a);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    quits = argc > 1 && atoi(argv[1]) == 1;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    return 0;
}
