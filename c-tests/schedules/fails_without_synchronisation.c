// Without any synchronisation there are two ends: who fails is told apart from who exits. It was one schedule that aborts, for every input.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0 aborted=1
// constraint: argv[1][0] == 'a'
// constraint: argv[1][0] != 'a'
// ends: exit abort
// exec: b
// exit: 0
// exec: a
// exit: 134
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    if (argv[1][0] == 'a')
        abort();
    return 0;
}
