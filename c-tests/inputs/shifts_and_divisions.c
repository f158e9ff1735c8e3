// Shifts and divisions with the sign that the program gives them: `x >> 1` of a negative number, and a remainder by an input.
// run: enumerate -- @ @
// expect: schedules>=4 complete=true deadlocked=0
// status: 0 1
// holds: -8 -3 -> less
// holds: 8 4 -> many
// holds: 7 4 -> less
// holds: 20 3 -> rest
// holds: 9 3 -> exact
// holds: -2 -8 -> many
// exec: 8 4
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t less = PTHREAD_MUTEX_INITIALIZER, many = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t rest = PTHREAD_MUTEX_INITIALIZER, exact = PTHREAD_MUTEX_INITIALIZER;

static void visit(pthread_mutex_t *lock) {
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    int x = atoi(argv[1]), y = atoi(argv[2]);
    if (y == 0 || y == -1) return 3;
    if (x >> 1 < y) visit(&less);
    else if (x % y == 2) visit(&rest);
    else if (x / y == 3) visit(&exact);
    else visit(&many);
    return 0;
}
