// How much is logged is a number that the input gives: below 100, its last four bits, else below zero. Details have a lock of their own.
//
// By hand, with a marker at the loop: 2 epochs with 4 schedules, no deadlock. The entry has 1, whichever level there is. Behind it the loop
// ends, 1, or goes round, with or without details, 2. The path that is executed first leaves a small number, of which some bytes are
// constant; the others do not.
// levels: O0
// run: enumerate -- @ @
// expect: epochs=2 schedules=4 complete=true deadlocked=0
// exec: 7 3
// stdout: 6 lines
// exec: 100 3
// stdout: 9 lines
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER, detail_lock = PTHREAD_MUTEX_INITIALIZER;
static int level, lines;

static void write_line(pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    lines++;
    pthread_mutex_unlock(lock);
}

int main(int argc, char **argv)
{
    int asked = argc > 1 ? atoi(argv[1]) : 0, rounds = argc > 2 ? atoi(argv[2]) : 0;
    level = asked < 100 ? asked & 15 : -asked;
    for (int i = 0; i < rounds; i++) {
        write_line(&log_lock);
        if (level < 0)
            write_line(&detail_lock);
    }
    for (int i = 0; i < 3; i++)
        write_line(&log_lock);
    printf("%d lines\n", lines);
    return 0;
}
