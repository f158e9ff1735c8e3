// A worker is woken to quit, and looks only whether there is a job.
// ignore-native: only what is found is compared
// mended: -DFIXED
// run: check --only deadlock -- @
// finding: confirmed deadlock/lost-signal: T1 waits for changed to be signalled; the signal came before the wait [] near [
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int quits, jobs;

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
#ifdef FIXED
    while (jobs == 0 && !quits)
        pthread_cond_wait(&changed, &lock);
#else
    while (jobs == 0)
        pthread_cond_wait(&changed, &lock);
#endif
    jobs--;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    if (argc > 1 && atoi(argv[1]) > 0)
        jobs = 1;
    quits = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
