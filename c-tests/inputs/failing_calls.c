// Whether a call fails is an input. Only the calls at one line may, and one that is ignored changes nothing.
// ignore-native: nothing fails natively
// run: enumerate --may-fail fopen,pthread_create@failing_calls.c:31 --max-failures 2
// expect: schedules=2 complete=true deadlocked=0
// constraint: pthread_create_fails
// run: enumerate --may-fail fopen
// expect: schedules=1 complete=true deadlocked=0
// run: enumerate --may-fail all
// expect: schedules=2 complete=true deadlocked=0
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    done++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t first, second;
    FILE *log = fopen("log", "w");
    if (log)
        fputs("begin\n", log);
    int has_first = pthread_create(&first, NULL, work, NULL) == 0;
    int has_second = pthread_create(&second, NULL, work, NULL) == 0;
    if (!has_first)
        work(NULL);
    if (!has_second)
        work(NULL);
    if (has_first)
        pthread_join(first, NULL);
    if (has_second)
        pthread_join(second, NULL);
    return done == 2 ? 0 : 1;
}
