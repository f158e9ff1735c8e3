// Two visitors of a cave walk down as deep as the last argument says, and lock one mutex at each level: it is recursive, and in a local variable of `main`.
//
// By hand: no deadlock, however deep it goes: who has the mutex may lock it again. The recursion synchronises, so its epochs are folded; the
// kind of the mutex has to be known in all of them, beside counters in the same variable that change from epoch to epoch.
// run: enumerate -- lower 2 @
// expect: complete=true deadlocked=0
// exec: lower 2 3
// stdout: 16 steps, 3 deep
// exec: upper 2 0
// stdout: 4 steps, 0 deep
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct cave {
    pthread_mutex_t mutex;
    int steps, deepest;
};

struct walk {
    struct cave *cave;
    int depth, times;
};

static void descend(struct cave *cave, int level, int depth)
{
    pthread_mutex_lock(&cave->mutex);
    cave->steps++;
    if (level > cave->deepest)
        cave->deepest = level;
    if (level < depth)
        descend(cave, level + 1, depth);
    cave->steps++;
    pthread_mutex_unlock(&cave->mutex);
}

static void *walk(void *argument)
{
    struct walk *walk = argument;
    for (int n = 0; n < walk->times; n++)
        descend(walk->cave, 0, walk->depth);
    return NULL;
}

static int open_cave(struct cave *cave)
{
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    cave->steps = 0;
    cave->deepest = 0;
    return pthread_mutex_init(&cave->mutex, &recursive);
}

int main(int argc, char **argv)
{
    struct cave cave;
    struct walk all = {.cave = &cave, .times = 1};
    pthread_t walkers[2];
    if (argc != 4 || open_cave(&cave))
        return 2;
    all.depth = atoi(argv[3]);
    for (int n = 0; n < 2; n++)
        pthread_create(&walkers[n], NULL, walk, &all);
    for (int n = 0; n < 2; n++)
        pthread_join(walkers[n], NULL);
    printf("%d steps, %d deep\n", cave.steps, cave.deepest);
    return 0;
}
