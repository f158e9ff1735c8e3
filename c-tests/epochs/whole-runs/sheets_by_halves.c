// A stack of 64 sheets is counted by halves. How often a half is given to another thread is up to the input: not at all, once, or twice.
//
// By hand: 1 epoch with 3 schedules, no deadlock. Each half locks the total when it is counted; the input decides nothing but how deep
// threads are started. On each of the three ways threads pass more than a hundred markers of the recursion.
// run: enumerate -- @
// expect: complete=true epochs=1 schedules=3 deadlocked=0
// exec: 2
// stdout: 64 sheets
// exec: 0
// stdout: 64 sheets
// exec: 7
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SHEETS 64

struct half {
    int first, sheets, helpers;
};

static pthread_mutex_t desk = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *count(void *own)
{
    struct half *half = own;
    if (half->sheets == 1) {
        pthread_mutex_lock(&desk);
        total++;
        pthread_mutex_unlock(&desk);
        return NULL;
    }
    int middle = half->sheets / 2;
    struct half upper = { half->first, middle, half->helpers - 1 };
    struct half lower = { half->first + middle, half->sheets - middle, half->helpers - 1 };
    if (half->helpers > 0) {
        pthread_t helper;
        if (pthread_create(&helper, NULL, count, &upper))
            exit(1);
        count(&lower);
        pthread_join(helper, NULL);
    } else {
        count(&upper);
        count(&lower);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    struct half all = { 0, SHEETS, atoi(argv[1]) };
    if (all.helpers < 0 || all.helpers > 2)
        return 2;
    count(&all);
    printf("%d sheets\n", total);
    return 0;
}
