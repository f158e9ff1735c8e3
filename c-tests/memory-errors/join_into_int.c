// The result of a thread, a pointer, is written into an int: half of it goes behind it. Then a thread that was joined is waited for.
// run: enumerate --memory-errors=continue -- 0
// expect: schedules=1 deadlocked=1 complete=true errors=1 behind=1
// memory-error: {join}: out-of-bounds
// run: enumerate --memory-errors=continue -- 1
// expect: schedules=1 deadlocked=1 complete=true errors=1 behind=1
// memory-error: {member}: out-of-bounds
// exec: 0
// error: out-of-bounds
#include <pthread.h>
#include <stdlib.h>

struct task {
    pthread_t thread;
    int number;
    int result;
};

static pthread_mutex_t kept = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
    pthread_mutex_lock(&kept);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t first;
    struct task second;
    int result = 0;
    (void)argc;
    pthread_create(&first, NULL, work, NULL);
    if (argv[1][0] == '0')
        pthread_join(first, (void **)(void *)&result); //~ join
    else {
        second.thread = first;
        pthread_join(second.thread, (void **)(void *)&second.result); //~ member
        result = second.result;
    }
    if (result)
        return 1;
    pthread_create(&second.thread, NULL, work, NULL);
    pthread_join(second.thread, NULL); /* waits for ever: the result was null */
    return 0;
}
