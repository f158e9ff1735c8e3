// The condition for a lock is computed from the input in other functions, through memory.
// run: enumerate -- @ @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// exec: 3 9
// exec: 9 3
// exec: 4 4
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct range {
    int low, high;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct range range;
static int swapped;

static int is_ordered(const struct range *r)
{
    return r->low <= r->high;
}

static void *normalise(void *arg)
{
    struct range *r = arg;
    if (!is_ordered(r)) {
        pthread_mutex_lock(&lock);
        int t = r->low;
        r->low = r->high;
        r->high = t;
        swapped = 1;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 3)
        return 2;
    range.low = atoi(argv[1]);
    range.high = atoi(argv[2]);
    pthread_create(&t, NULL, normalise, &range);
    pthread_join(t, NULL);
    printf("%d..%d%s\n", range.low, range.high, swapped ? " (swapped)" : "");
    return 0;
}
