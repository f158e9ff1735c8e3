// Two threads synchronise as often as two inputs say. The combinations of counts are not finite, so no set of schedules
// is complete; up to the loop bound they are finite, so the search ends, and it blames both loops.
// run: enumerate --without epochs --loop-bound 6 -- @ @
// expect: epochs=1 complete=false deadlocked=0
// constraint: atoi(argv[1]) == 3
// constraint: atoi(argv[2]) == 3
// reason: {first}
// reason: {second}
// exec: 3 2
// stdout: 5
// exec: 0 0
// stdout: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int left, right, steps;

static void step(void)
{
    pthread_mutex_lock(&lock);
    steps++;
    pthread_mutex_unlock(&lock);
}

static void *go_left(void *arg)
{
    for (int i = 1; i <= left; i++) //~ first
        step();
    return arg;
}

static void *go_right(void *arg)
{
    for (int i = 1; i <= right; i++) //~ second
        step();
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    if (argc < 3)
        return 2;
    left = atoi(argv[1]);
    right = atoi(argv[2]);
    pthread_create(&a, NULL, go_left, NULL);
    pthread_create(&b, NULL, go_right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", steps);
    return 0;
}
