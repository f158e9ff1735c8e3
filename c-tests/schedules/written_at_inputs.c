// Ten numbers are written at places that inputs say, one after the other, and each is read from a place that an earlier write
// may have been to. One decides whether a lock is taken: it was written if the ranges overlap so.
//
// run: enumerate -- @ @ @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// exec: 30 3 7
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long *numbers;
static long at;

static void *worker(void *unused)
{
    long sum = numbers[at] + numbers[at + 1];
    if (numbers[at] == 1) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    numbers[at] = sum;
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    long size = atol(argv[1]), start = atol(argv[2]), last = atol(argv[3]);
    if (size < 20 || size > 1000 || start < 0 || start > size - 11 || last < 0 || last > size - 11)
        return 1;
    numbers = calloc(size, sizeof *numbers);
    for (int i = 0; i < 10; i++)
        numbers[start + i] = numbers[last + i] + 1;
    at = last;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
