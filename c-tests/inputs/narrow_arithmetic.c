// Products of 16 bits and sums of 64: C computes the first in `int`, and the second too if the casts are left out.
// run: enumerate -- @ @
// expect: schedules>=3 complete=true deadlocked=0
// holds: 4096 0 -> even
// holds: 2 0 -> odd
// holds: 65537 0 -> odd
// holds: 2147483647 2147483647 -> wide
// holds: 1 2147483647 -> odd
// holds: -2147483647 -2147483647 -> odd
// exec: 1 1
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t even = PTHREAD_MUTEX_INITIALIZER, odd = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t wide = PTHREAD_MUTEX_INITIALIZER;

static void visit(pthread_mutex_t *lock) {
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    int x = atoi(argv[1]), y = atoi(argv[2]);
    unsigned short product = (unsigned)x * 16;
    if ((long)x + y > 4000000000) visit(&wide);
    else if (product == 0) visit(&even);
    else visit(&odd);
    return 0;
}
