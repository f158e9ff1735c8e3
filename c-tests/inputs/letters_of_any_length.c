// As many bytes are copied and filled as an input says. That they do not fit is one error, not one for each number, and
// nothing else is asked about it: which bytes were written is known of each byte by the number.
//
// Usage: letters_of_any_length BYTES
//
// variants: -DROOM=64, -DROOM=80
// run: enumerate -- @
// expect: schedules=2 deadlocked=1 complete=true
// constraint: > 30
// exec: 10
// stdout: letter of 10 bytes, read 1
// exec: 11
// stdout: letter of 11 bytes, read 0
// exec: 81
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char box[ROOM];
static char letter[80];
static int read_by;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *reader(void *arg) {
    pthread_mutex_lock(&lock);
    // Copied or not: both of these bytes say so.
    if (box[9] == 'a' && box[10] != 'a') read_by++;
    if (box[30] == 'a') pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv) {
    int n = argc == 2 ? atoi(argv[1]) : -1;
    if (n < 0 || n > 80) return 2;
    memset(letter, 'a', n);
    memcpy(box, letter, n);
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL);
    pthread_join(t, NULL);
    printf("letter of %d bytes, read %d\n", n, read_by);
    return 0;
}
