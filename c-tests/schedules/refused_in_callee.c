// A function refuses some inputs and ends the process, but for its code alone it might return: so does what it calls for that. What
// it has checked decides about all that its caller does then.
//
// By hand: 3 schedules. The second lock is taken or not, after the first one; and inputs that are refused take none. With or without
// prefixes these are the same: the test in front of the first lock, which always holds there, makes a schedule of them (optimised, it is not there). Who forgets that
// the check decides whether its caller goes on takes the refusal for a schedule of every input.
// run: enumerate -- @ @
// expect: epochs=1 schedules=3 complete=true
// constraint: < 4
// run: enumerate --without prefix-schedules -- @ @
// expect: epochs=1 schedules=3 complete=true
// constraint: < 4
// ends: exit exit exit
// exec: 5 9
// exec: 3 9
// exit: 1
// levels: O0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static void *help(void *arg)
{
    pthread_mutex_lock(&second);
    pthread_mutex_unlock(&second);
    return arg;
}

static void refuse(const char *why)
{
    fprintf(stderr, "%s\n", why);
    exit(1);
}

static void check(int width)
{
    if (width < 4)
        refuse("too narrow");
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc != 3)
        return 2;
    int width = atoi(argv[1]), height = atoi(argv[2]);
    pthread_create(&thread, NULL, help, NULL);
    check(width);
    if (width > 3) {
        pthread_mutex_lock(&first);
        pthread_mutex_unlock(&first);
    }
    if (height > 7) {
        pthread_mutex_lock(&second);
        pthread_mutex_unlock(&second);
    }
    pthread_join(thread, NULL);
    return 0;
}
