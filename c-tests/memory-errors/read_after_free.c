// A node is read after it was freed: once for nothing, once for the lock that is taken next. Nobody knows what was read.
// run: enumerate --memory-errors=continue -- 0
// expect: schedules=1 deadlocked=1 complete=true errors=1 behind=1
// memory-error: {unused}: use-after-free
// run: enumerate --memory-errors=continue -- 1
// expect: schedules=2 deadlocked=2 complete=true errors=1 behind=2
// memory-error: {used}: use-after-free
// exec: 1
// error: use-after-free
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value, kind;
    struct node *next;
};

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static volatile int last;

static void *keep(void *lock)
{
    pthread_mutex_lock(lock);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    pthread_mutex_t *lock = &a;
    (void)argc;
    volatile struct node *volatile node = malloc(sizeof *node);
    node->value = node->kind = 3;
    free((void *)node);
    if (argv[1][0] == '0')
        last = node->value; //~ unused
    else if (node->kind == 3) //~ used
        lock = &b;
    pthread_create(&thread, NULL, keep, lock);
    pthread_join(thread, NULL);
    pthread_mutex_lock(lock);
    return 0;
}
