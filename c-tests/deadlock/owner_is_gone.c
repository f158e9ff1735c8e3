// A worker that finds its job spoilt goes without giving back the lock, and is joined; the next worker is another thread, although it may
// get the first one's place: it waits for ever, whatever kind of lock asks who its owner is.
// variants: -DKIND=0, -DKIND=1, -DKIND=2
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=1
// constraint: atoi(argv[1]) == 7
// ends: exit deadlock
// exec: 3
// stdout: 2 jobs
// exec: 7
// error: deadlock
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int spoilt, jobs;

#if KIND == 2
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void prepare(void) {}
static void enter(void) { pthread_rwlock_wrlock(&lock); }
static void leave(void) { pthread_rwlock_unlock(&lock); }
#else
static pthread_mutex_t lock;
static void prepare(void)
{
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, KIND ? PTHREAD_MUTEX_ERRORCHECK : PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &kind);
    pthread_mutexattr_destroy(&kind);
}
static void enter(void)
{
    while (pthread_mutex_lock(&lock) != 0)
        abort();
}
static void leave(void) { pthread_mutex_unlock(&lock); }
#endif

static void *worker(void *job)
{
    enter();
    if (*(int *)job == spoilt)
        return NULL;
    jobs++;
    leave();
    return job;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    int job[2] = {7, 8};
    spoilt = atoi(argv[1]) == 7 ? 7 : 0;
    prepare();
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, worker, &job[i]) != 0)
            return 1;
        pthread_join(thread, NULL);
    }
    printf("%d jobs\n", jobs);
    return 0;
}
