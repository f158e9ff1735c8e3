// Two threads go round two loops, each as often as its input says (Bergan 3.4.1.3).
//
// By hand: markers in front of both loops' conditions, and none elsewhere. Beside the entry there is an epoch with both threads in
// the first loop, one with one of them in each, one with both in the second, and two with one thread alone: which thread is
// where does not matter. That are 6 epochs; with --without symbolic-tids there are 7.
// levels: O0
// run: enumerate -- @ @
// expect: epochs=6 complete=true deadlocked=0
// exec: 2 1
// exec:
#include <pthread.h>
#include <stdlib.h>

#define THREADS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turns[THREADS], balance;

static void *worker(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < turns[me]; i++) { //~ first
        pthread_mutex_lock(&lock);
        balance++;
        pthread_mutex_unlock(&lock);
    }
    for (int i = 0; i < turns[me]; i++) { //~ second
        pthread_mutex_lock(&lock);
        balance--;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        turns[i] = argc > i + 1 ? atoi(argv[i + 1]) : 0;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return balance;
}
