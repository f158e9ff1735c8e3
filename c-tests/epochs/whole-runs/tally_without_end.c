// Two threads count for ever under a lock; there are no inputs.
//
// By hand: no state comes back, for the number is another one each time. So the run is given up at a limit, here one that is given, and that is no
// reason to be incomplete: epochs end where each of the two goes round.
// run: enumerate --max-events 3000
// expect: epochs=2 schedules=2 complete=true deadlocked=0
// ends: epoch epoch
// ignore-native: it never ends
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long long tally;

static void *count(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        tally++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, count, NULL);
    count(NULL);
}
