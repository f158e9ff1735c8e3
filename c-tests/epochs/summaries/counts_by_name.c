// What loops count up to is named by the variable that holds it, or by what is called for it, whether or not the compiler has put
// the C library's definition of `atoi` in place of the call.
//
// levels: O1 O2
// run: enumerate -- @ @
// expect: complete=true
// constraint: atoi(argv[1]) == i + 1
// constraint: socks == i + 1
// exec: 3 2
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, drawer = PTHREAD_MUTEX_INITIALIZER;
static long counter;

static inline int positive(const char *text) {
    int number = atoi(text);
    return number < 0 ? 0 : number;
}

static void count(void) {
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv) {
    if (argc < 3) return 1;
    int shirts = positive(argv[1]);
    long socks = atol(argv[2]);
    for (int i = 0; i < shirts; i++) count();
    for (long i = 0; i < socks; i++) count();
    pthread_mutex_lock(&drawer);
    pthread_mutex_unlock(&drawer);
    return 0;
}
