// Nine threads put their messages into a table with a lock for each place. Where a place is taken the next one is tried. Nothing is
// an input.
//
// By hand: 1 epoch, 1 schedule. The loops have markers, but no input decides how they go on, so threads pass them. With epochs that end
// there, what is in the table is forgotten, and with it who finds a place taken: not complete in half a minute.
// run: enumerate
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// exec:
// stdout: 36 messages
#include <pthread.h>
#include <stdio.h>

#define THREADS 9
#define MESSAGES 4
#define PLACES 64

static int table[PLACES];
static pthread_mutex_t lock[PLACES];

static int was_empty(int at, int message) {
    pthread_mutex_lock(&lock[at]);
    int is_empty = table[at] == 0;
    if (is_empty) table[at] = message;
    pthread_mutex_unlock(&lock[at]);
    return is_empty;
}

static void *put(void *number) {
    int me = (int)(long)number;
    for (int i = 0; i < MESSAGES; i++) {
        int message = (i + 1) * 11 + me, at = message * 7 % PLACES;
        while (!was_empty(at, message)) at = (at + 1) % PLACES;
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    int messages = 0;
    for (int i = 0; i < PLACES; i++) pthread_mutex_init(&lock[i], NULL);
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, put, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < PLACES; i++) messages += table[i] != 0;
    printf("%d messages\n", messages);
    return 0;
}
