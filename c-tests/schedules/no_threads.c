// A program without threads has one schedule, whatever it does with its input.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0 max_live_threads=1
// constraint: true
// exec: 42
// exec: -1
// exit: 1
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    int n = atoi(argv[1]);
    if (n < 0)
        return 1;
    printf("%s\n", n % 2 ? "odd" : "even");
    return 0;
}
