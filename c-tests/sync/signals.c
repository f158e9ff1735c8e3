// Signals of the process to itself: blocked ones wait, sigwait takes them, an alarm ends a pause, and the default action
// of one that is not caught ends the process.
// exec:
// stdout: pending 1, handled 0
// stdout: handled 1
// stdout: waited for 12
// stdout: paused, alarm 1
// exit: 143
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t handled, alarmed;

static void handler(int number)
{
    if (number != SIGALRM) {
        handled++;
        return;
    }
    // The first one may come before the pause.
    alarmed = 1;
    alarm(1);
}

int main(void)
{
    sigset_t set, pending;
    int number;
    signal(SIGUSR1, handler);
    signal(SIGALRM, handler);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGUSR1);
    sigpending(&pending);
    printf("pending %d, handled %d\n", sigismember(&pending, SIGUSR1), (int)handled);
    sigdelset(&set, SIGUSR2);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    printf("handled %d\n", (int)handled);
    kill(getpid(), SIGUSR2);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigwait(&set, &number);
    printf("waited for %d\n", number);
    alarm(1);
    pause();
    printf("paused, alarm %d\n", (int)alarmed);
    fflush(stdout);
    kill(getpid(), SIGTERM);
    return 0;
}
