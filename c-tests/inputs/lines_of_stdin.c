// Standard input of three bytes, read line by line: one to three lines, wherever the ends of line are. The worker locks
// once per line. Three schedules; reading ends with the input, so nothing is cut off.
// run: enumerate --without epochs --sym-stdin 3
// expect: epochs=1 schedules=3 complete=true deadlocked=0
// ends: exit exit exit
// exec:
// stdin: a
// stdin: b
// stdout: 2
// exec:
// stdout: 0
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int lines;

static void *reader(void *arg)
{
    char line[16];
    while (fgets(line, sizeof line, stdin)) {
        pthread_mutex_lock(&lock);
        lines++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL);
    pthread_join(t, NULL);
    printf("%d\n", lines);
    return 0;
}
