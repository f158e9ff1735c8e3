// A bit field has a sign of its own: two bits of an input are 1, -1, -2 or 0. Printed as `(atoi(argv[1]) & 0x3) < 0`, no input
// leaks the lock.
// run: enumerate -- @
// expect: schedules=2 complete=true deadlocked=1
// ends: deadlock exit
// holds: 2 -> deadlock
// holds: 3 -> deadlock
// holds: -1 -> deadlock
// holds: 1 -> exit
// holds: 4 -> exit
// exec: 1
// exit: 0
#include <pthread.h>
#include <stdlib.h>

struct flags {
    int kind : 2;
    unsigned rest : 30;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv) {
    pthread_t thread;
    struct flags flags = {0, 0};
    if (argc < 2) return 2;
    flags.kind = atoi(argv[1]);
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    if (flags.kind >= 0) pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
