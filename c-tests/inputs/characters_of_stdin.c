// Standard input of three bytes, read to its end one by one. The loop ends because the input does, not because a limit
// cut it off. The worker locks once per 'x', of which there are none to three: four schedules, and the set is complete.
// run: enumerate --without epochs --sym-stdin 3
// expect: epochs=1 schedules=4 complete=true deadlocked=0
// ends: exit exit exit exit
// exec:
// stdin: xyx
// stdout: 2
// exec:
// stdout: 0
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int marks;

static void *reader(void *arg)
{
    int c;
    while ((c = getchar()) != EOF)
        if (c == 'x') {
            pthread_mutex_lock(&lock);
            marks++;
            pthread_mutex_unlock(&lock);
        }
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL);
    pthread_join(t, NULL);
    printf("%d\n", marks);
    return 0;
}
