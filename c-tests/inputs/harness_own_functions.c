// What the program defines is its own: here reach_error() and an assumption that returns.
// run: enumerate
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// exits: 7
// exec:
// exit: 7
#include <stdlib.h>

static int asked;

int __VERIFIER_nondet_int(void)
{
    return 5;
}

void __VERIFIER_assume(int condition)
{
    asked += condition;
}

void reach_error(void)
{
    exit(7);
}

int main(void)
{
    __VERIFIER_assume(0);
    if (__VERIFIER_nondet_int() == 5 && !asked)
        reach_error();
    return 0;
}
