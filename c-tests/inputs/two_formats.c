// One string is read with two formats. Which of them fits is another question each time.
//
// By hand: `mode=3` and `size=7` come to a deadlock, everything else ends well. The number of conversions was once the
// same input for both formats, and then the second one never fitted.
// run: enumerate --without prefix-schedules -- @
// expect: epochs=1 complete=true schedules=2 deadlocked=1
// exec: mode=7
// exec: size=3
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void twice(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
}

int main(int argc, char **argv)
{
    int n = 0;
    if (argc < 2)
        return 2;
    if (sscanf(argv[1], "mode=%d", &n) == 1) {
        if (n == 3)
            twice();
    } else if (sscanf(argv[1], "size=%d", &n) == 1) {
        if (n == 7)
            twice();
    }
    return 0;
}
