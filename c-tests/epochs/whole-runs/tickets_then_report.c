// Two threads draw 400 tickets each under a lock. An input decides only then which of two locks the result is reported under.
//
// By hand: up to there all inputs go the same way, which does not count, and behind it there are two ways: two schedules in one epoch. The time
// that it took is printed, and decides nothing.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// constraint: argv[1][0] == 'r'
// exec: r
// stdout: report: 800
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#define TICKETS 400

static pthread_mutex_t counter = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t desk = PTHREAD_MUTEX_INITIALIZER, board = PTHREAD_MUTEX_INITIALIZER;
static int drawn;

static void *draw(void *unused) {
    for (int i = 0; i < TICKETS; i++) {
        pthread_mutex_lock(&counter);
        drawn++;
        pthread_mutex_unlock(&counter);
    }
    return unused;
}

int main(int argc, char **argv) {
    pthread_t other;
    time_t start = time(NULL);
    pthread_create(&other, NULL, draw, NULL);
    draw(NULL);
    pthread_join(other, NULL);
    fprintf(stderr, "%ld seconds\n", (long)(time(NULL) - start));
    if (argc > 1 && argv[1][0] == 'r') {
        pthread_mutex_lock(&desk);
        printf("report: %d\n", drawn);
        pthread_mutex_unlock(&desk);
    } else {
        pthread_mutex_lock(&board);
        printf("%d\n", drawn);
        pthread_mutex_unlock(&board);
    }
    return 0;
}
