// Two inspectors go along a fence once a day, and each goes home for good on the day on which the thinnest coat is thick enough. Whoever has
// looked scratches one of the first three boards, if there are as many, and the second argument says which.
//
// By hand: as in `inspectors_who_scratch.c` there is one deadlock, after a scratch. What the second look finds is a number of its own where
// there was a scratch between the two looks. Where there was none it has to be what the first one has found, and there are no inputs for
// which it is another one. Else a schedule with a scratch, of which only the two numbers are conditions, would be one for inputs without a
// scratch, too.
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
    int coat;
    struct board *next;
};

static pthread_barrier_t morning;
static pthread_mutex_t way = PTHREAD_MUTEX_INITIALIZER;
static struct board *first;
static int enough, scratched;

static void scratch(struct board *fence)
{
    if (scratched == 1 && fence)
        fence->coat = -1;
    if (scratched == 2 && fence && fence->next)
        fence->next->coat = -1;
    if (scratched == 3 && fence && fence->next && fence->next->next)
        fence->next->next->coat = -1;
}

static void *inspect(void *unused)
{
    for (;;) {
        int thinnest = 1000;
        pthread_barrier_wait(&morning);
        pthread_mutex_lock(&way);
        for (const struct board *board = first; board; board = board->next)
            if (board->coat < thinnest)
                thinnest = board->coat;
        scratch(first);
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
    enough = atoi(argv[1]);
    scratched = atoi(argv[2]);
    for (int n = 0; n < 1 + atoi(argv[3]); n++) {
        struct board *board = malloc(sizeof *board);
        if (!board)
            return 1;
        board->coat = 2 + n;
        board->next = first;
        first = board;
    }
    pthread_barrier_init(&morning, NULL, INSPECTORS);
    for (int n = 0; n < INSPECTORS; n++)
        pthread_create(&inspectors[n], NULL, inspect, NULL);
    for (int n = 0; n < INSPECTORS; n++)
        pthread_join(inspectors[n], NULL);
    puts("done");
    return 0;
}
