// The first argument says whether anything is read at all, the first character read which lock is taken, and the second, behind that,
// whether it is taken again.
//
// By hand: with an empty argument nothing is taken: one schedule, known at the start. Else a part goes up to the first read. Behind it are
// two parts, one for each lock, up to the second read, and behind each of them two schedules: 1 + 4 in all, with 3 decisions.
// run: enumerate -- @1
// expect: epochs=1 schedules=5 complete=true deadlocked=0 decisions=3
// constraint: == 97
// constraint: == 114
// ends: exit exit exit exit exit
// exec: x
// stdin: ar
// stdout: 2 0
// exec: x
// stdin: br
// stdout: 0 2
// exec: x
// stdin: b
// stdout: 0 1
// exec:
// exit: 2
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int in_a, in_b;

static void *idle(void *arg)
{
    return arg;
}

static void take(pthread_mutex_t *lock, int *count)
{
    pthread_mutex_lock(lock);
    ++*count;
    pthread_mutex_unlock(lock);
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2)
        return 2;
    pthread_create(&t, NULL, idle, NULL);
    if (argv[1][0]) {
        int first = getchar();
        if (first == 'a')
            take(&a, &in_a);
        else
            take(&b, &in_b);
        if (getchar() == 'r') {
            if (first == 'a')
                take(&a, &in_a);
            else
                take(&b, &in_b);
        }
    }
    pthread_join(t, NULL);
    printf("%d %d\n", in_a, in_b);
    return 0;
}
