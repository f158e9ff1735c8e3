// A thread looks for the end of a text, by a counter of 32 bits of which the index is the lower 16: it begins at 65536, so the first letter
// is read. If the text is longer than two letters, it takes a lock.
//
// By hand: two schedules, longer or not. (The loop is replaced by what it may do. Taken for the index, the counter was behind the text from
// the first iteration on, so that no other was left, and every text was short.)
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// exec: four
// stdout: long
// exec: at
// stdout: short
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { FIRST = 1 << 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text[FIRST];
static int is_long;

static void *measure(void *unused) {
    unsigned at = FIRST;
    while (text[(unsigned short)at] != '\0') at++;
    if (at > FIRST + 2) {
        pthread_mutex_lock(&lock);
        is_long = 1;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(int argc, char **argv) {
    pthread_t thread;
    if (argc != 2) return 2;
    strcpy(text, argv[1]);
    pthread_create(&thread, NULL, measure, NULL);
    pthread_join(thread, NULL);
    puts(is_long ? "long" : "short");
    return 0;
}
