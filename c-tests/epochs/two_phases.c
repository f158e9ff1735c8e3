// Two threads go round as often as each one's input says, and then without end (Bergan 3.4.1.3).
//
// By hand: markers in front of both loops' conditions, and none elsewhere. Beside the entry there is an epoch with both threads in
// the first loop, one with one of them in each, and one with both in the second: which thread is where does not matter. That
// are 4 epochs; with --without symbolic-tids there are 5. No schedule ends the process, as main waits for ever.
// levels: O0
// run: enumerate -- @ @
// expect: epochs=4 complete=true deadlocked=0
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
    for (;;) { //~ second
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
    return 0;
}
