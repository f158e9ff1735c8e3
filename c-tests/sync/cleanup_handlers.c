// Handlers of pthread_cleanup_push run where a thread ends inside: the inner one first, with what they were given when they were pushed.
// run: enumerate -- @
// expect: complete=true deadlocked=0
// constraint: argv[1]
// exec: a
// exec: b
// exec: c
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static char how;
static int order[8], handlers;

struct step {
    pthread_mutex_t *held;
    int number;
};

static void leave(void *arg)
{
    struct step *s = arg;
    if (s->held)
        pthread_mutex_unlock(s->held);
    order[handlers++] = s->number;
}

static void leave_number(void *arg)
{
    order[handlers++] = (int)(long)arg;
}

static void ends_here(int depth)
{
    if (depth == 0)
        pthread_exit(NULL);
    pthread_cleanup_push(leave_number, (void *)(long)(10 + depth));
    ends_here(depth - 1);
    pthread_cleanup_pop(0);
}

static void *work(void *arg)
{
    struct step outer = { &first, 1 }, inner = { &second, 2 };
    pthread_mutex_lock(&first);
    pthread_cleanup_push(leave, &outer);
    for (int i = 0; i < 2; i++) {
        pthread_cleanup_push(leave_number, (void *)(long)(20 + i));
        if (how == 'a' && i == 1)
            ends_here(2);
        pthread_cleanup_pop(i == 0);
    }
    pthread_mutex_lock(&second);
    pthread_cleanup_push(leave, &inner);
    if (how == 'b')
        pthread_exit(arg);
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(1);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    how = argc > 1 ? argv[1][0] : 'c';
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second);
    for (int i = 0; i < handlers; i++)
        printf("%d ", order[i]);
    printf("\n");
    return 0;
}
