// A runner goes round a track that has a place for each number there is, from a place to a goal, step by step, and marks the first 290 places and one
// that is far away, where he comes by. Both are inputs; the goal is behind the start, or so far in front of it that he passes the highest number first.
// Whoever finds the far place marked locks the gate once more, though it is locked. What the runner waits for before he starts is over at once.
//
// By hand: if the goal is behind the start he stops before he comes to the far place, and passes it otherwise: one deadlock, of which the inputs say
// that the goal is in front of the start.
//
// run: enumerate -- @ @
// expect: complete=true deadlocked=1 schedules=2
// levels: O0
// exec: 60 351
// exit: 0
#include <pthread.h>
#include <stdlib.h>

#define MARKED 290
#define FAR 395

struct track {
    int marks[400];
    pthread_mutex_t gate;
};

static struct track track = {.gate = PTHREAD_MUTEX_INITIALIZER};
static int start, goal;

static int count(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += i;
    return sum;
}

static void go(int is_ready, int from, int to)
{
    while (!is_ready)
        is_ready = count(10);
    for (unsigned at = from; at != (unsigned)to; at++)
        if (at < MARKED || at == FAR)
            track.marks[at] = 7;
}

static void *run(void *arg)
{
    go(goal >= start, start, goal);
    pthread_mutex_lock(&track.gate);
    if (track.marks[FAR] == 7)
        pthread_mutex_lock(&track.gate);
    pthread_mutex_unlock(&track.gate);
    return arg;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    start = atoi(argv[1]);
    goal = atoi(argv[2]);
    if (start < 50 || start > 350 || goal > 390)
        return 2;
    if ((goal < 351) & (goal >= -2147483600))
        return 2;
    pthread_t runner;
    if (pthread_create(&runner, NULL, run, NULL) != 0)
        abort();
    pthread_join(runner, NULL);
    return 0;
}
