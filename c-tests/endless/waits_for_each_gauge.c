// Four gauges are read, one after the other, and for each main waits until it shows more than five. Nobody changes
// them, so for small numbers main waits for ever, in a loop inside of one that is counted.
// run: enumerate -- @
// expect: epochs=1 complete=true deadlocked=0 endless=1
// assumes: none
// status: 1
// levels: O0
// exec: 7
// exit: 0
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long waited;

int main(int argc, char **argv)
{
    int gauges[4];
    if (argc < 2)
        return 2;
    for (int i = 0; i < 4; i++)
        gauges[i] = atoi(argv[1]) + i;
    for (int i = 0; i < 4; i++) {
        int shown = gauges[i];
        while (shown <= 5)
            waited++;
    }
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}
