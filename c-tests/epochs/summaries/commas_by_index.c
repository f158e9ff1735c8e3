// Two threads count commas, by index, in the argument or in a line of standard input, and take a lock if there are two among the first
// letters. The loops are replaced by what they may do, but an index is known to be no farther than where its text ends, or than its limit.
//
// By hand: 1 epoch; if there is a line, each thread finds two commas or not: 4 schedules. No access behind a text.
// run: enumerate --sym-stdin 12 -- @
// expect: epochs=1 schedules=4 complete=true deadlocked=0
// status: 0
// exec: one,two,three
// stdin: a,,b
// stdout: 2
// exec: longer,than-that,but-late
// stdin: ,,
// stdout: 1
// exec: a
// exit: 2
#include <pthread.h>
#include <stdio.h>

enum { FIRST = 12 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rich;

static void *look(void *given) {
    const char *text = given;
    int found = 0;
    for (int i = 0; text[i] != '\0' && i < FIRST; i++) found += text[i] == ',';
    if (found < 2) return NULL;
    pthread_mutex_lock(&lock);
    rich++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int argc, char **argv) {
    char line[64];
    pthread_t other;
    if (argc != 2 || !fgets(line, sizeof line, stdin)) return 2;
    pthread_create(&other, NULL, look, argv[1]);
    look(line);
    pthread_join(other, NULL);
    printf("%d\n", rich);
    return 0;
}
