// What a thread synchronises depends on memory that was filled and copied by as many bytes as inputs say: the third number of
// the copy is one of the last n numbers, which were set, or of those before them, which are zero.
//
// run: enumerate -- @ @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// exec: 5 2
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned *copy;

static void *worker(void *unused)
{
    if (copy[2]) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int size = atoi(argv[1]), n = atoi(argv[2]);
    if (size < 3 || size > 1000 || n < 0 || n > size)
        return 1;
    unsigned *numbers = calloc(size, sizeof *numbers);
    copy = calloc(size, sizeof *copy);
    memset(numbers + size - n, 1, n * sizeof *numbers);
    memcpy(copy, numbers, size * sizeof *copy);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
