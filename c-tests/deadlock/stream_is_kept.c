// A thread locks the stream for its report of several lines, and one of its ways out keeps it: whoever prints then waits for ever.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=1
// constraint: atoi(argv[1]) < 0
// ends: exit deadlock
// exec: 2
// stdout: report
// stdout: 4 in all
// stdout: done
// exec: -1
// error: deadlock
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *report(void *count)
{
    flockfile(stdout);
    puts("report");
    int n = *(int *)count;
    if (n < 0)
        return NULL;
    printf("%d in all\n", 2 * n);
    funlockfile(stdout);
    return count;
}

int main(int argc, char **argv)
{
    pthread_t reporter;
    if (argc < 2)
        return 2;
    int count = atoi(argv[1]);
    if (pthread_create(&reporter, NULL, report, &count) != 0)
        return 1;
    pthread_join(reporter, NULL);
    puts("done");
    return 0;
}
