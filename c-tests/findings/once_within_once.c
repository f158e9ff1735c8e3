// What is done once needs what is done by the same once.
// ignore-native: only what is found is compared
// mended: -DFIXED
// run: check --only deadlock -- @
// finding: confirmed deadlock/self-deadlock: T0 waits for tables ... [d] near [
#include <pthread.h>
#include <stdlib.h>

static pthread_once_t tables = PTHREAD_ONCE_INIT;
static int size, deep;

static void make_tables(void);

static int table(int number)
{
    pthread_once(&tables, make_tables);
    return number * size;
}

static void make_tables(void)
{
    size = 2;
#ifndef FIXED
    if (deep)
        size += table(3);
#endif
}

int main(int argc, char **argv)
{
    deep = argc > 1 && argv[1][0] == 'd';
    return table(0);
}
