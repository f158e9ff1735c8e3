// A number of 64 bits that is the address of an object in this tool's memory: it is printed as the number that it is, for no input
// is a pointer.
// run: enumerate -- @
// expect: schedules>=3 complete=true deadlocked=0
// constraint: 0x100000000
// holds: 4294967296 -> same
// holds: 8589934600 -> near
// holds: 8589934592 -> near
// holds: 8589934700 -> other
// holds: 5 -> other
// exec: 4294967296
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t same = PTHREAD_MUTEX_INITIALIZER, near = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;

static void visit(pthread_mutex_t *lock) {
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    long n = strtol(argv[1], NULL, 10);
    if (n == 0x100000000) visit(&same);
    else if ((unsigned long)n - 0x200000000 < 40) visit(&near);
    else visit(&other);
    return 0;
}
