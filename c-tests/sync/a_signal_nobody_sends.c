// Twin of a_thread_for_signals.c: main joins the thread and sends nothing.
// ignore-native: it hangs
// run: enumerate
// expect: complete=true schedules=1 deadlocked=1
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static sigset_t set;

static void *handler(void *arg) {
    int number = 0;
    sigwait(&set, &number);
    return arg;
}

int main(void) {
    pthread_t t;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&t, NULL, handler, NULL);
    pthread_join(t, NULL);
    return 0;
}
