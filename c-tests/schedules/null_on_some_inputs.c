// Some inputs make the worker write through a pointer that nobody sets. What is written decides about no lock, but a write
// that certainly fails is a reason to look: it is not enough that points-to analysis says it writes nothing. The hook, which
// nobody sets either, is called behind a test, and is none.
// run: enumerate -- @
// expect: epochs=1 complete=true deadlocked=0
// status: 1
// exec: a
// stdout: done
// exec: b
// error: null-pointer
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *volatile nowhere; // volatile: an optimiser may take what is never set for null
static void (*volatile hook)(void);
static const char *word;

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    if (word[0] == 'c' && hook)
        hook();
    if (word[0] == 'b')
        *nowhere = 1; //~ null-pointer
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2)
        return 2;
    word = argv[1];
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    puts("done");
    return 0;
}
