// Three workers take a lock as often as the inputs say. Their handles are in memory from malloc, and main joins them in a loop.
//
// By hand: no deadlock. Epochs differ by how many workers live, and main waits for one of them: of those that live each goes round or ends,
// and main joins them, and those that have ended before it came to them. Whoever does not see that main has not left its loop, since
// that would have ended the process while a worker lives, does not know that the index is within the array (-O1, where the loop ends with
// the test of the next index).
// run: enumerate -- @ @ @
// expect: complete=true deadlocked=0
// levels: O0 O1 O2
// exec: 2 3 1
// stdout: 6
// exec: 0 0 0
// stdout: 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *work(void *rounds)
{
    int n = *(int *)rounds;
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&lock);
        done++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    int rounds[3];
    pthread_t *workers = malloc(3 * sizeof *workers);
    for (int i = 0; i < 3; i++) {
        rounds[i] = atoi(argv[i + 1]);
        pthread_create(&workers[i], NULL, work, &rounds[i]);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(workers[i], NULL);
    printf("%d\n", done);
    free(workers);
    return 0;
}
