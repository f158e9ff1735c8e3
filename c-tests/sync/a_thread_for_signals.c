// A thread waits for signals that all threads block; main ends it with one. Nothing outside sends any.
// exec:
// run: enumerate
// expect: complete=true deadlocked=0
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static sigset_t set;

static void *handler(void *arg) {
    int number = 0;
    sigwait(&set, &number);
    printf("%s\n", number == SIGUSR1 ? "told to end" : "interrupted");
    return arg;
}

int main(void) {
    pthread_t t;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&t, NULL, handler, NULL);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, NULL);
    return 0;
}
