// The copy of a name is one byte short: its NUL goes behind it, where malloc has room. Behind it two threads take a lock and keep it.
// run: enumerate --memory-errors=continue -- hello
// expect: schedules=1 deadlocked=1 complete=true errors=1 behind=1
// memory-error: {copy}: out-of-bounds
// run: enumerate --memory-errors=continue -- @
// expect: schedules=1 deadlocked=1 complete=true errors=1
// memory-error: {copy}: out-of-bounds
// run: enumerate -- hello
// ends: memory-error
// exec: hello
// error: out-of-bounds
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t kept = PTHREAD_MUTEX_INITIALIZER;

static void *keep(void *arg)
{
    pthread_mutex_lock(&kept);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t first, second;
    (void)argc;
    char *copy = malloc(strlen(argv[1]));
    strcpy(copy, argv[1]); //~ copy
    pthread_create(&first, NULL, keep, copy);
    pthread_create(&second, NULL, keep, copy);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
