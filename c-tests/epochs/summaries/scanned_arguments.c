// Two threads walk along a text each, with a pointer, to the first comma, and take a lock if there is one. The walk is replaced by what it
// may do, but the pointer is known to be where it was, some letters on, and never behind the end of the text that it started in.
//
// By hand: 1 epoch with 4 schedules: each thread finds a comma or not. No access of a null pointer, none behind a text.
// run: enumerate -- @ @
// expect: epochs=1 schedules=4 complete=true deadlocked=0
// status: 0
// exec: one,two three
// stdout: 1
// exec: ,a b,c
// stdout: 2
// exec: a
// exit: 2
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int commas;

static const char *comma_in(const char *text)
{
    while (*text && *text != ',')
        text++;
    return text;
}

static void *look(void *text)
{
    if (*comma_in(text) == ',') {
        pthread_mutex_lock(&lock);
        commas++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    pthread_t a, b;
    if (pthread_create(&a, NULL, look, argv[1]) || pthread_create(&b, NULL, look, argv[2]))
        return 2;
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", commas);
    return 0;
}
