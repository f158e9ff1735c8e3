// The compiler checks for undefined behaviour itself and describes each check by constants without names.
// run: enumerate -- @
// expect: epochs=1 complete=true deadlocked=0
// exec: 2
// stdout: 6 3
// cflags: -fsanitize=undefined -fno-sanitize=vptr
// ignore-native: the checks need a library that may not be there
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int table[4] = { 2, 4, 6, 8 };

int main(int argc, char **argv)
{
    int n = argc > 1 && argv[1][0] == '2' ? 2 : 1;
    pthread_mutex_lock(&m);
    int found = table[n];
    pthread_mutex_unlock(&m);
    printf("%d %d\n", found, found / n);
    return 0;
}
