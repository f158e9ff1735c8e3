// The same in C11's own words: thrd, mtx, cnd, tss and call_once.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// exec: 4
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static int turn, log_[6], logged, starts;

static void start(void)
{
    starts++;
}

static int worker(void *arg)
{
    int me = *(int *)arg;
    call_once(&once, start);
    for (int i = 0; i < 3; i++) {
        mtx_lock(&lock);
        while (turn != me)
            cnd_wait(&changed, &lock);
        log_[logged++] = me;
        turn = 1 - me;
        cnd_broadcast(&changed);
        mtx_unlock(&lock);
    }
    return me + 10;
}

int main(int argc, char **argv)
{
    thrd_t t[2];
    int me[2] = { 0, 1 }, result[2];
    if (argc < 2)
        return 2;
    int n = atoi(argv[1]);
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    for (int i = 0; i < 2; i++)
        if (thrd_create(&t[i], worker, &me[i]) != thrd_success)
            return 1;
    for (int i = 0; i < 2; i++)
        thrd_join(t[i], &result[i]);
    for (int i = 0; i < logged; i++)
        printf("%d", log_[i]);
    printf(" %d %d %d %d\n", result[0], result[1], starts, n);
    return 0;
}
