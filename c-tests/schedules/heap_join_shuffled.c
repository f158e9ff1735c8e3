// As heap_join.c, but joined in an order that is itself kept in an array: odd ones first, then even ones.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// constraint: true
// exec: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 5

static int scale;

static void *square(void *arg)
{
    long i = (long)arg;
    return (void *)(i * i * scale);
}

int main(int argc, char **argv)
{
    pthread_t *t = malloc(sizeof *t * THREADS);
    int order[THREADS], n = 0;
    long sum = 0;
    if (argc < 2)
        return 2;
    scale = atoi(argv[1]);
    for (long i = 0; i < THREADS; i++)
        pthread_create(t + i, NULL, square, (void *)i);
    for (int i = 1; i < THREADS; i += 2)
        order[n++] = i;
    for (int i = 0; i < THREADS; i += 2)
        order[n++] = i;
    while (n-- > 0) {
        void *value;
        if (pthread_join(t[order[n]], &value) != 0)
            return 1;
        sum += (long)value;
    }
    printf("%ld\n", sum);
    free(t);
    return 0;
}
