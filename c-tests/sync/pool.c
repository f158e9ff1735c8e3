// A thread pool: tasks are a function pointer and an argument in a linked queue; the pool ends when it is told to.
// run: enumerate --without epochs -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0 max_live_threads=3
// constraint: true
// exec: 6
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define WORKERS 2

struct task {
    void (*run)(int);
    int arg;
    struct task *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t available = PTHREAD_COND_INITIALIZER;
static struct task *first, **last = &first;
static int closing;

static pthread_mutex_t result_lock = PTHREAD_MUTEX_INITIALIZER;
static int sum, product = 1;

static void add(int n)
{
    pthread_mutex_lock(&result_lock);
    sum += n;
    pthread_mutex_unlock(&result_lock);
}

static void multiply(int n)
{
    pthread_mutex_lock(&result_lock);
    product *= n;
    pthread_mutex_unlock(&result_lock);
}

static void submit(void (*run)(int), int arg)
{
    struct task *task = malloc(sizeof *task);
    task->run = run;
    task->arg = arg;
    task->next = NULL;
    pthread_mutex_lock(&lock);
    *last = task;
    last = &task->next;
    pthread_cond_signal(&available);
    pthread_mutex_unlock(&lock);
}

static struct task *take(void)
{
    pthread_mutex_lock(&lock);
    while (!first && !closing)
        pthread_cond_wait(&available, &lock);
    struct task *task = first;
    if (task) {
        first = task->next;
        if (!first)
            last = &first;
    }
    pthread_mutex_unlock(&lock);
    return task;
}

static void *worker(void *arg)
{
    struct task *task;
    while ((task = take()) != NULL) {
        task->run(task->arg);
        free(task);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[WORKERS];
    if (argc < 2)
        return 2;
    int n = atoi(argv[1]);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    submit(add, n);
    submit(multiply, 3);
    submit(add, 10);
    submit(multiply, n);
    pthread_mutex_lock(&lock);
    closing = 1;
    pthread_cond_broadcast(&available);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    printf("%d %d\n", sum, product);
    return 0;
}
