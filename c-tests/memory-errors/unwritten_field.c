// A field that nobody has written decides twice, both times alike: as it is, one thread takes the lock and gives it back, or keeps it.
// run: enumerate --memory-errors=continue
// expect: schedules=2 deadlocked=1 complete=true behind=2
// memory-error: {first}: uninitialised-value
// run: enumerate
// ends: memory-error
// exec:
// error: uninitialised
#include <pthread.h>
#include <stdlib.h>

struct job {
    int number;
    int is_urgent;
};

static pthread_mutex_t desk = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
    struct job *job = arg;
    pthread_mutex_lock(&desk);
    if (!job->is_urgent) //~ first
        pthread_mutex_unlock(&desk);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct job *job = malloc(sizeof *job);
    job->number = 1;
    pthread_create(&thread, NULL, work, job);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&desk);
    if (job->is_urgent)
        return 1; /* nobody comes here: the lock is kept then */
    pthread_mutex_unlock(&desk);
    return 0;
}
