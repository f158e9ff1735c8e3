// Whether an object is too large for icsched is up to an input. What no process can have is refused, as natively.
// run: enumerate --without epochs -- @
// expect: complete=false deadlocked=0
// reason: an object whose size depends on inputs, more than 3.75 GiB
// levels: O1
// exec: 1
// exec: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 0;
    if (n < 0 || n > 6)
        return 2;
    char *p = malloc(n == 0 ? (size_t)-9 : (size_t)n << 30);
    if (!p) {
        printf("none\n");
        return 0;
    }
    pthread_mutex_lock(&m);
    *(volatile char *)p = 1;
    pthread_mutex_unlock(&m);
    free(p);
    return 0;
}
