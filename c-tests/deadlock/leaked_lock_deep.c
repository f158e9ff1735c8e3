// The leak is three calls deep and only for inputs in a range; the main thread is the one that gets stuck.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=1
// ends: exit deadlock
// exec: 5
// exit: 0
// exec: 50
// error: deadlock
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct table {
    pthread_mutex_t lock;
    int rows;
    int limit;
};

static int check(const struct table *t, int rows)
{
    if (rows > t->limit)
        return -1;
    return 0;
}

static int insert(struct table *t, int rows)
{
    pthread_mutex_lock(&t->lock);
    if (check(t, rows) != 0)
        return -1;
    t->rows += rows;
    pthread_mutex_unlock(&t->lock);
    return 0;
}

static int wanted;

static void *worker(void *arg)
{
    insert(arg, wanted);
    return NULL;
}

int main(int argc, char **argv)
{
    struct table *table = malloc(sizeof *table);
    pthread_t t;
    if (argc < 2 || !table)
        return 2;
    wanted = atoi(argv[1]);
    pthread_mutex_init(&table->lock, NULL);
    table->rows = 0;
    table->limit = 9;
    pthread_create(&t, NULL, worker, table);
    pthread_join(t, NULL);
    pthread_mutex_lock(&table->lock);
    printf("%d rows\n", table->rows);
    pthread_mutex_unlock(&table->lock);
    pthread_mutex_destroy(&table->lock);
    free(table);
    return 0;
}
