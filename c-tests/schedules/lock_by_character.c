// Main waits for a worker that takes a lock, and then reads which lock to take itself. Which schedule an execution follows is known when
// the character is.
//
// By hand: one part for all inputs up to the read, with the events of the worker, and behind it one schedule each for 'a' and for all
// else.
// run: enumerate
// expect: epochs=1 schedules=2 complete=true deadlocked=0 decisions=1
// constraint: true
// constraint: == 97
// constraint: != 97
// ends: exit exit
// exec:
// stdin: a
// stdout: 2 0
// exec:
// stdin: b
// stdout: 1 1
// exec:
// stdout: 1 1
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int in_a, in_b;

static void *worker(void *arg)
{
    pthread_mutex_lock(&a);
    in_a++;
    pthread_mutex_unlock(&a);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    int c = getchar();
    pthread_mutex_t *lock = c == 'a' ? &a : &b;
    int *count = c == 'a' ? &in_a : &in_b;
    pthread_mutex_lock(lock);
    ++*count;
    pthread_mutex_unlock(lock);
    printf("%d %d\n", in_a, in_b);
    return 0;
}
