// One element too many of a global array is cleared. What is behind it in memory, here a lock, stays as it is.
// run: enumerate --memory-errors=continue -- 4
// expect: schedules=1 deadlocked=1 complete=true errors=1 behind=1
// memory-error: {clear}: out-of-bounds
// exec: 4
// error: out-of-bounds
#include <pthread.h>
#include <stdlib.h>

static int counts[4];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *keep(void *arg)
{
    pthread_mutex_lock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    (void)argc;
    int last = atoi(argv[1]);
    if (last < 0 || last > 4)
        return 2;
    for (volatile int i = 0; i <= last; i++)
        counts[i] = i; //~ clear
    pthread_create(&thread, NULL, keep, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&lock);
    return counts[0];
}
