// A lift stops at the floors where somebody has rung, one after the other; a guest rings at the floor that an input says, and waits there, as
// often as another input says.
//
// By hand: no deadlock. The lift is told of each guest by the count of rings, and finds the floor. (What rang is a number of which most
// bytes are known to be 0, and was not known to be the same where an input chose it: a guest had rung, and nobody at any floor.)
// levels: O0 O1
// run: enumerate -- @ @
// expect: complete=true deadlocked=0
// exec: 1 3
// stdout: 3 guests
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { FLOORS = 2 };

static pthread_mutex_t lift = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t rung = PTHREAD_COND_INITIALIZER;
static pthread_cond_t stops[FLOORS] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static int rings[FLOORS], is_over, carried;

static void *drive(void *unused) {
    pthread_mutex_lock(&lift);
    for (;;) {
        while (!rings[0] && !rings[1] && !is_over) pthread_cond_wait(&rung, &lift);
        if (!rings[0] && !rings[1]) break;
        for (int floor = 0; floor < FLOORS; floor++) {
            if (!rings[floor]) continue;
            rings[floor] = 0;
            carried++;
            pthread_cond_broadcast(&stops[floor]);
        }
    }
    pthread_mutex_unlock(&lift);
    return unused;
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    unsigned floor = (unsigned)atoi(argv[1]) % FLOORS;
    int guests = atoi(argv[2]);
    pthread_t driver;
    pthread_create(&driver, NULL, drive, NULL);
    for (int i = 0; i < guests; i++) {
        pthread_mutex_lock(&lift);
        rings[floor] = 1;
        pthread_cond_signal(&rung);
        while (rings[floor]) pthread_cond_wait(&stops[floor], &lift);
        pthread_mutex_unlock(&lift);
    }
    pthread_mutex_lock(&lift);
    is_over = 1;
    pthread_cond_signal(&rung);
    pthread_mutex_unlock(&lift);
    pthread_join(driver, NULL);
    printf("%d guests\n", carried);
    return 0;
}
