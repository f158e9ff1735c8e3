// Two inspectors go along a fence once a day, board by board, and each goes home for good on the day on which the thinnest coat is thick
// enough. Where the second argument says so, whoever has looked scratches a board: the last one, or one of the first three, if there are
// as many.
//
// By hand: without a scratch both find the same. With one the first may find the fence good and go home, and the other one finds the scratch
// and waits at the barrier for ever. No path writes to a board between two looks where there is no scratch, and most boards are objects that
// no path ever meets: that nobody scratches has to be a condition all the same. What the second look finds is a number of its own where there
// was a scratch. Where there was none it has to be what the first one has found, and there are no inputs for which it is another one; else a
// schedule with a scratch, of which only the two numbers are conditions, would be one for inputs without a scratch, too.
// variants: -DLAST, -DBY_NUMBER
// run: enumerate -- @ @ @
// expect: complete=true epochs=3 schedules=6 deadlocked=1
// levels: O0 O1
// exec: 1 0 7
// stdout: done
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define INSPECTORS 2

struct board {
    double coat;
    struct board *next;
};

static pthread_barrier_t morning;
static pthread_mutex_t way = PTHREAD_MUTEX_INITIALIZER;
static struct board *first, *last;
static double enough;
static int scratches;

static void scratch(void)
{
#ifdef BY_NUMBER
    if (scratches == 1 && first)
        first->coat = -1.0;
    if (scratches == 2 && first && first->next)
        first->next->coat = -1.0;
    if (scratches == 3 && first && first->next && first->next->next)
        first->next->next->coat = -1.0;
#else
    if (scratches)
        last->coat = -1.0;
#endif
}

static void *inspect(void *unused)
{
    for (;;) {
        double thinnest = 1e9;
        pthread_barrier_wait(&morning);
        pthread_mutex_lock(&way);
        for (const struct board *board = first; board; board = board->next)
            if (board->coat < thinnest)
                thinnest = board->coat;
        scratch();
        pthread_mutex_unlock(&way);
        if (thinnest >= enough)
            break;
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t inspectors[INSPECTORS];
    if (argc != 4)
        return 2;
    enough = atof(argv[1]);
    scratches = atoi(argv[2]);
    for (int n = 0; n < 1 + atoi(argv[3]); n++) {
        struct board *board = malloc(sizeof *board);
        if (!board)
            return 1;
        board->coat = 2.0 + n;
        board->next = first;
        first = board;
        if (!last)
            last = board;
    }
    pthread_barrier_init(&morning, NULL, INSPECTORS);
    for (int n = 0; n < INSPECTORS; n++)
        pthread_create(&inspectors[n], NULL, inspect, NULL);
    for (int n = 0; n < INSPECTORS; n++)
        pthread_join(inspectors[n], NULL);
    puts("done");
    return 0;
}
