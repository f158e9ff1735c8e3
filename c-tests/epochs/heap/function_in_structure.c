// Two threads that are each given a structure with a function to call, and nothing beside it. Part of the function's address and the zeros
// behind it together look like the address of an object, if there are many, but are none: so it stays known which function it is, and
// nobody takes the second lock.
//
// By hand: the first epoch ends with both threads at the marker of their loops. There both go round, or both end: two schedules.
//
// levels: O0
// exec: 3
// stdout: 12 at last
// run: enumerate -- @
// expect: epochs=2 schedules=3 complete=true deadlocked=0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define TEN(n) int n##0, n##1, n##2, n##3, n##4, n##5, n##6, n##7, n##8, n##9;
TEN(a) TEN(b) TEN(c) TEN(d) TEN(e) TEN(f) TEN(g) TEN(h) TEN(i) TEN(j) TEN(k) TEN(l) TEN(m)
TEN(n) TEN(o) TEN(p) TEN(q) TEN(r) TEN(s) TEN(t) TEN(u) TEN(v) TEN(w) TEN(x) TEN(y) TEN(z)

struct task {
    int (*change)(int);
    long nothing[3];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds, total;

static int add_two(int n)
{
    return n + 2;
}

static void *work(void *arg)
{
    struct task *task = arg;
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        if (task->change)
            total = task->change(total);
        pthread_mutex_unlock(&lock);
        if (!task->change) {
            pthread_mutex_lock(&lock);
            pthread_mutex_unlock(&lock);
        }
    }
    return arg;
}

int main(int argc, char **argv)
{
    struct task first = {add_two, {0}}, second = first;
    pthread_t thread;
    if (argc < 2)
        return 1;
    rounds = atoi(argv[1]);
    pthread_create(&thread, NULL, work, &second);
    work(&first);
    pthread_join(thread, NULL);
    printf("%d at last\n", total);
    return 0;
}
