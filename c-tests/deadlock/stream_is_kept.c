// A thread locks the stream for its report of several lines, and one of its ways out keeps it: whoever prints then waits for ever, be it
// main, or a thread that gets the place of the one that has ended.
// variants: -DOTHER=0, -DOTHER=1
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

static void *finish(void *nothing)
{
    puts("done");
    return nothing;
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
    if (!OTHER)
        finish(NULL);
    else if (pthread_create(&reporter, NULL, finish, NULL) == 0)
        pthread_join(reporter, NULL);
    return 0;
}
