// A memory error in a second thread, while the first one waits for it.
// exec: 1
// exec: 6
// error: out-of-bounds
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int table[4] = { 1, 2, 3, 4 };

static void *worker(void *arg)
{
    int i = *(int *)arg;
    *(int *)arg = table[i]; //~ out-of-bounds
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2)
        return 2;
    int n = atoi(argv[1]);
    pthread_create(&t, NULL, worker, &n);
    pthread_join(t, NULL);
    printf("%d\n", n);
    return 0;
}
