// Thread-specific data with a destructor, which runs when the thread ends, before the join returns.
// run: enumerate --without epochs -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// exec: 8
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_key_t key, plain;
static int destroyed, sum, input;

static void destroy(void *value)
{
    destroyed++;
    sum += *(int *)value;
    free(value);
}

static int *mine(void)
{
    int *p = pthread_getspecific(key);
    if (!p) {
        p = malloc(sizeof *p);
        *p = input;
        pthread_setspecific(key, p);
    }
    return p;
}

static void *worker(void *arg)
{
    pthread_setspecific(plain, arg);
    *mine() += *(int *)arg;
    *mine() *= 2;
    return pthread_getspecific(plain) == arg ? NULL : arg;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    input = atoi(argv[1]);
    pthread_key_create(&key, destroy);
    pthread_key_create(&plain, NULL);
    for (int i = 0; i < 3; i++) {
        pthread_t t;
        void *result;
        pthread_create(&t, NULL, worker, &i);
        pthread_join(t, &result);
        printf("after %d: %d destroyed, %s\n", i, destroyed, result ? "bad" : "good");
    }
    printf("%d\n", sum);
    pthread_key_delete(key);
    return 0;
}
