// A thread takes samples until there are enough of them, or they are as exact as is wanted: one condition on a number and on a
// floating-point number together, as compilers also make it of two.
//
// By hand, with a marker at the lock: 2 epochs with 3 schedules, no deadlock. The entry has 1, up to the lock. From there the thread
// comes back or ends, and which of them is one condition. Both outcomes of a comparison of floating-point numbers can be; whoever
// then does not know what it says of the whole condition follows the same schedule over and over.
// variants: -DOR=|, -DOR=||
// run: enumerate -- @ @
// expect: epochs=2 complete=true deadlocked=0
// exec: 3 0.1
// stdout: 3 samples
// exec: 100 0.4
// stdout: 3 samples
// exec: 1
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int most, samples;
static double tolerance, deviation = 1;

static void *sample(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock); //~ marker
        samples++;
        deviation = 1.0 / samples;
        int is_enough = (samples >= most)OR(deviation < tolerance);
        pthread_mutex_unlock(&lock);
        if (is_enough)
            return arg;
    }
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc != 3)
        return 2;
    most = atoi(argv[1]);
    tolerance = atof(argv[2]);
    pthread_create(&thread, NULL, sample, NULL);
    pthread_join(thread, NULL);
    printf("%d samples\n", samples);
    return 0;
}
