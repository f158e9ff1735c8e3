// A list of unknown length is counted by a function that calls itself. The tenth activation asks for a rounding mode that nobody supports;
// the outermost one, which alone is executed where the recursion is replaced, does not.
//
// By hand: 1 epoch with 2 schedules, incomplete: calls of the function in itself are looked into, and there it is found.
// run: enumerate -- @
// expect: epochs=1 schedules>=2 complete=false
// reason: rounding other than to nearest is not supported
// exec: 3
// stdout: 0
// exec: 6
// stdout: 2
#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct item {
    int value;
    struct item *next;
};

static pthread_mutex_t few = PTHREAD_MUTEX_INITIALIZER, many = PTHREAD_MUTEX_INITIALIZER;

static int large(const struct item *i, int before)
{
    if (!i)
        return 0;
    if (before == 9)
        fesetround(FE_UPWARD);
    int more = large(i->next, before + 1);
    return i->value > 3 ? more + 1 : more;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 1;
    struct item *all = NULL;
    int n = atoi(argv[1]);
    for (int value = 0; value < n; value++) {
        struct item *i = malloc(sizeof *i);
        if (!i)
            return 1;
        i->value = value;
        i->next = all;
        all = i;
    }
    int found = large(all, 0);
    pthread_mutex_t *chosen = found > 5 ? &many : &few;
    pthread_mutex_lock(chosen);
    pthread_mutex_unlock(chosen);
    printf("%d\n", found);
    return 0;
}
