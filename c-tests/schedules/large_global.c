// A variable of more than 3.75 GiB does not keep a program from being analysed: only what uses it is not supported.
// run: enumerate -- @
// expect: complete=false deadlocked=0
// reason: the global variable `big` of 5368709120 bytes (5 GiB)
// exec: b
// exec: a
// exit: 3
// stderr: the global variable `big` of 5368709120 bytes (5 GiB), more than 3.75 GiB
// cflags: -mcmodel=large
// ignore-native: it takes more memory than a machine may have
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
char big[5368709120];

int main(int argc, char **argv)
{
    pthread_mutex_lock(&m);
    if (argc > 1 && argv[1][0] == 'a')
        big[argc] = 1;
    pthread_mutex_unlock(&m);
    return 0;
}
