// A buffer is freed twice, and what malloc has not returned once: nothing comes of it but the errors.
// run: enumerate --memory-errors=continue
// expect: schedules=1 deadlocked=1 complete=true errors=2 behind=1
// memory-error: {twice}: double-free
// memory-error: {inside}: invalid-free
// exec:
// error: double-free
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    char *volatile buffer = malloc(8), *volatile other = malloc(8);
    free(buffer);
    free(buffer); //~ twice
    free(other + 1); //~ inside
    other[2] = 1;
    pthread_mutex_lock(&lock);
    if (other[2] == 1)
        pthread_mutex_lock(&lock);
    return 0;
}
