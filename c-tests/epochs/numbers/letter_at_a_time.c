// Main hands the letters of an argument to a thread, one at a time, in a variable of one byte: 0 says that there is none. Behind the last one
// it hands on q, which ends both.
//
// No deadlock: the thread waits for a letter while there is none, and main for none while there is one; the thread ends at q, and leaves
// no letter behind. Where the thread is about to wait, it holds the lock and has seen that there is no letter. Who knows nothing of numbers
// of one byte has it wait for main, and main wait for it, because there is one.
// run: enumerate -- @
// expect: complete=true deadlocked=0
// exec: abba
// stdout: 2 a, 2 others
// exec: q
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static char letter;
static int ended;

static void *reader(void *arg)
{
    int of_a = 0, others = 0;
    pthread_mutex_lock(&lock);
    while (!ended) {
        while (letter == 0)
            pthread_cond_wait(&changed, &lock);
        switch (letter) {
        case 'a': of_a++; break;
        case 'q': ended = 1; break;
        default: others++; break;
        }
        letter = 0;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    printf("%d a, %d others\n", of_a, others);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2)
        return 2;
    pthread_create(&t, NULL, reader, NULL);
    for (const char *s = argv[1]; *s; s++) {
        pthread_mutex_lock(&lock);
        while (letter != 0)
            pthread_cond_wait(&changed, &lock);
        if (ended) {
            pthread_mutex_unlock(&lock);
            break;
        }
        letter = *s;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    while (letter != 0)
        pthread_cond_wait(&changed, &lock);
    letter = 'q';
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
