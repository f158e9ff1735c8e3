// More `musttail` calls in a row than there may be nested calls: a state machine whose states are functions. (A path of the symbolic domain
// keeps the activations, and says so if there are too many.)
// exec:
// run: enumerate
// expect: complete=false deadlocked=0
// reason: more than 262144 nested calls, some of them `musttail`
// levels: O0
#include <stdio.h>

#define TAIL __attribute__((musttail)) return

typedef int state(int n, int sum);

static state off, on, done;
static state *const states[] = { on, off, done };

static int on(int n, int sum)
{
    int local[4] = { 1, 2, 3, 4 };
    if (n == 0)
        TAIL done(n, sum);
    TAIL off(n - 1, sum + local[n & 3]);
}

static int off(int n, int sum)
{
    TAIL states[n % 7 == 0 ? 1 - (n > 0) : 0](n - (n > 0), sum + 1);
}

static int done(int n, int sum)
{
    return sum + n;
}

int main(void)
{
    printf("%d\n", on(700000, 0) > 0);
    return 0;
}
