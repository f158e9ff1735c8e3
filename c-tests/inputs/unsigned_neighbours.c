// Comparisons of unsigned values: both sides are read so in print, also where one is a byte from 128 on, and a quotient.
// run: enumerate -- @ @ @
// expect: schedules>=4 complete=true deadlocked=0
// holds: a \xe9 7 -> high
// holds: a \xe9 -1 -> high
// holds: \xe9 a 7 -> low
// holds: \x80 \x7f -1 -> low
// holds: a a 200 -> few
// holds: a a -1 -> many
// holds: a a 4000000000 -> many
// exec: a b 7
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t low = PTHREAD_MUTEX_INITIALIZER, high = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t few = PTHREAD_MUTEX_INITIALIZER, many = PTHREAD_MUTEX_INITIALIZER;

static void visit(pthread_mutex_t *lock) {
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    unsigned char a = argv[1][0], b = argv[2][0];
    unsigned n = strtol(argv[3], NULL, 10);
    if (a < b) visit(&high);
    else if (b < a) visit(&low);
    else if (n / 3 < 0x10000000) visit(&few);
    else visit(&many);
    return 0;
}
