// The input chooses which of two heap cells a global pointer leads to, and a write through it goes to one of them. The
// worker looks at the second cell only; on the path that writes the first one, the pointer's value matters nonetheless,
// since it could have led to the second. Locking needs an input other than 0.
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// constraint: atoi(argv[1]) != 0
// constraint: atoi(argv[1]) == 0
// ends: exit exit
// exec: 0
// stdout: 0
// exec: 4
// stdout: 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *current;
static int locked;

static void *worker(void *arg)
{
    int *watched = arg;
    if (*watched) {
        pthread_mutex_lock(&lock);
        locked = 1;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t;
    int *plain = calloc(1, sizeof *plain), *watched = calloc(1, sizeof *watched);
    if (argc < 2 || !plain || !watched)
        return 2;
    current = plain;
    if (atoi(argv[1]) != 0)
        current = watched;
    *current = 1;
    pthread_create(&t, NULL, worker, watched);
    pthread_join(t, NULL);
    printf("%d\n", locked);
    free(plain);
    free(watched);
    return 0;
}
